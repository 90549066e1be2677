/** Asks a person on the terminal whether a call may run. */
import type { Question } from "../core/call.ts";
import { dirs } from "../core/dirs.ts";
import { dirname, makeFolder } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import type { Printer } from "./printer.ts";

/** One question at a time; "always" writes a rule to the user's settings. `undefined` without a terminal. */
export function terminalAsker(printer: Printer): ((question: Question) => Promise<boolean>) | undefined {
  const fs = host.builtin<typeof import("node:fs")>("node:fs");
  const readline = host.builtin<typeof import("node:readline")>("node:readline");
  let terminal: number;
  try {
    terminal = fs.openSync("/dev/tty", "r");
  } catch {
    return undefined;
  }
  const input = fs.createReadStream("/dev/tty", { fd: terminal });
  input.on("error", () => {});
  const lines = readline.createInterface({ input });
  const always = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async ({ name, args, reason, rule }: Question): Promise<boolean> => {
    if (always.has(rule)) return true;
    printer.note(`\n${name} ${JSON.stringify(args).slice(0, 1000)}\n${reason}`);
    printer.note(`Run it? [y]es, [n]o, [a]lways (${rule})`);
    const answer = await new Promise<string>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve("n"));
    });
    const letter = answer.trim().toLowerCase()[0];
    if (letter === "a") {
      always.add(rule);
      saveRule(rule, printer);
    }
    return letter === "y" || letter === "a";
  };
  return (question) => {
    const answered = turn.then(() => ask(question));
    turn = answered.catch(() => {});
    // The open terminal must not keep the process alive.
    input.on("open", () => (input as { unref?(): void }).unref?.());
    return answered;
  };
}

function saveRule(rule: string, printer: Printer): void {
  const path = dirs().settingsFile;
  try {
    let settings: { permissions?: { allow?: string[] } } = {};
    try {
      settings = JSON.parse(new TextDecoder().decode(host.files.read(path)));
    } catch (error) {
      // Comments would be lost by writing the file anew.
      if ((error as { code?: string }).code !== "ENOENT") {
        throw new Error("it has comments; add the rule by hand");
      }
    }
    const permissions = settings.permissions ?? {};
    settings.permissions = { ...permissions, allow: [...permissions.allow ?? [], rule] };
    makeFolder(dirname(path), 0o700);
    const temporary = `${path}.${host.pid}.tmp`;
    const file = host.files.open(temporary, "w", 0o600);
    file.write(new TextEncoder().encode(JSON.stringify(settings, null, 2) + "\n"));
    file.close();
    host.files.rename(temporary, path);
  } catch (error) {
    printer.warn(`the rule ${rule} holds for this run only: ${(error as Error).message}`);
  }
}
