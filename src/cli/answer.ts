/** Questions of plugins, put to whoever is at the terminal. */
import { printable } from "../core/errors.ts";
import type { Answerer } from "../mods/asker.ts";
import { openTerminal } from "./ask.ts";
import type { Printer } from "./printer.ts";

const TRIES = 3;

/** One question at a time. Of choices, a number or the start of one will do. */
export function terminalAnswerer(printer: Printer): Answerer {
  let terminal: ((prompt: string) => Promise<string>) | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const ask: Answerer = async ({ plugin, question, choices }) => {
    terminal ??= openTerminal(printer);
    const list = choices?.map((choice, index) => `[${index + 1}] ${printable(choice)}`).join("  ");
    const prompt = `\nplugin ${plugin} asks: ${printable(question)}${list === undefined ? "" : `\n${list}`}`;
    for (let left = TRIES; left > 0; left--) {
      const line = (await terminal(prompt)).trim();
      if (line === "") return undefined;
      const answer = choices ? chosen(line, choices) : line;
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return (question) => {
    const answered = turn.then(() => ask(question));
    turn = answered.catch(() => {});
    return answered;
  };
}

/** The choice that is meant; `undefined` where it isn't one alone. */
export function chosen(line: string, choices: readonly string[]): string | undefined {
  if (choices.includes(line)) return line;
  const number = Number(line);
  if (Number.isInteger(number) && number >= 1 && number <= choices.length) return choices[number - 1];
  const like = choices.filter((choice) => choice.toLowerCase().startsWith(line.toLowerCase()));
  return like.length === 1 ? like[0] : undefined;
}
