/** Asks a person on the terminal whether a call may run. */
import { dirs } from "../core/dirs.ts";
import { errorCode, fileError, messageOf } from "../core/errors.ts";
import { dirname, makeFolder, realPath } from "../core/paths.ts";
import type { Question } from "../core/request.ts";
import { host } from "../core/runtime.ts";
import { parseJsonc } from "../core/settings.ts";
import { rememberSettings } from "../core/trust_user.ts";
import { writeWhole } from "../core/write_whole.ts";
import type { Printer } from "./printer.ts";

/**
 * One question at a time, on the terminal itself, since standard input holds the calls. "Always" writes a rule to the
 * user's settings. Where there is no terminal, the answer is no.
 */
export function terminalAsker(printer: Printer): (question: Question) => Promise<boolean> {
  const always = new Set<string>();
  let terminal: ((prompt: string) => Promise<string>) | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async ({ name, args, reason, rule }: Question): Promise<boolean> => {
    if (always.has(rule)) return true;
    printer.note(`\n${name} ${JSON.stringify(args).slice(0, 1000)}\n${reason}`);
    terminal ??= openTerminal(printer);
    const letter = (await terminal(`Run it? [y]es, [n]o, [a]lways (${rule})`)).trim().toLowerCase()[0];
    if (letter === "a") {
      always.add(rule);
      await saveRule(rule, printer);
    }
    return letter === "y" || letter === "a";
  };
  return (question) => {
    const answered = turn.then(() => ask(question));
    turn = answered.catch(() => {});
    return answered;
  };
}

/**
 * Prompts, and gives back the line that is typed; an empty one where the terminal has ended or can't be opened. A
 * stream for files would block a thread that the end of the process waits for.
 */
export function openTerminal(printer: Printer): (prompt: string) => Promise<string> {
  const { openSync } = host.builtin<typeof import("node:fs")>("node:fs");
  const { ReadStream } = host.builtin<typeof import("node:tty")>("node:tty");
  const { createInterface } = host.builtin<typeof import("node:readline/promises")>("node:readline/promises");
  let input: InstanceType<typeof ReadStream>;
  try {
    input = new ReadStream(openSync("/dev/tty", "r+"));
  } catch (error) {
    printer.warn(`nobody can be asked: ${messageOf(fileError("open", "/dev/tty", error))}`);
    return () => Promise.resolve("");
  }
  const lines = createInterface({ input, terminal: false });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  input.once("error", () => lines.close());
  return (prompt) => {
    printer.note(prompt);
    return lines.question("", { signal: ended.signal }).catch(() => "");
  };
}

/** Comments and the rest of the file stay as they are. */
async function saveRule(rule: string, printer: Printer): Promise<void> {
  const path = dirs().settingsFile;
  try {
    const text = readSettings(path);
    if (text !== "") await parseJsonc(text, path);
    const { applyEdits, modify } = await import("jsonc-parser");
    const edits = modify(text, ["permissions", "allow", -1], rule, {
      isArrayInsertion: true,
      formattingOptions: { insertSpaces: true, tabSize: 2, insertFinalNewline: true },
    });
    makeFolder(dirname(path), 0o700);
    writeWhole(realPath(path), new TextEncoder().encode(applyEdits(text, edits)), {
      mode: 0o600,
      sync: true,
    });
    await rememberSettings();
  } catch (error) {
    printer.warn(`the rule ${rule} holds for this run only: ${messageOf(error)}`);
  }
}

function readSettings(path: string): string {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(host.files.read(path));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}
