/** How the text of a command becomes the argument list of a shell. */
import { fileError } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import { join, makeFolder } from "../core/paths.ts";
import { shellQuote } from "../core/shell_quote.ts";
import { removeQuietly } from "../core/upkeep.ts";
import { passingName } from "./live.ts";

/** One argument may have 128 KB on Linux, whatever all of them together may have. */
const ARGUMENT_BYTES = 100_000;
/** Newlines at the end of a text that are given to a shell. Only a heredoc without an end could tell that more were there. */
const LAST_NEWLINES = 1_000;

/** How a command is started. */
export interface CommandLine {
  argv: string[];
  /** To be called once it has ended: takes away the file that held its text, if there was one. */
  done(): void;
}

/** Programs that read a command as rules do, and the places where they are the system's own. */
const SH = /(?:^|\/)(?:bash|sh|dash|ash|zsh|ksh|mksh)$/;
/** Those of them that read a file without another program, and have `$'…'`. */
const READS_FILES = /(?:^|\/)(?:bash|zsh|ksh|mksh)$/;
const SYSTEMS_SH = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:bash|sh|dash|zsh|ksh)$/;

/** The arguments that run a text in a shell: what is run, and what is judged where it isn't the text alone. */
export function shellArguments(shell: string, login: boolean, text: string): string[] {
  if (/(?:^|[/\\])(?:powershell|pwsh)(?:\.exe)?$/i.test(shell)) {
    return [shell, "-NoProfile", "-NonInteractive", "-Command", text];
  }
  // Without the `--`, text that starts with `-` would be such a shell's own option; to others it is the text.
  if (SH.test(shell)) return [shell, login ? "-lc" : "-c", "--", text];
  return [shell, ...login ? ["-l"] : [], "-c", text];
}

/** Does the shell of that name mean a text as rules read it? */
export function isUsualShell(shell: string): boolean {
  return SYSTEMS_SH.test(shell);
}

/**
 * The arguments that run `command` in the shell: the text itself, untouched. Text that is too long for an argument is
 * read by the same shell from a file in `folder`, where it is one of sh's kind: evaluated at the top, as `-c` does, by a
 * line that leaves no variable, parameter or source behind.
 */
export function commandLine(
  command: string,
  login: boolean,
  shell = shellProgram(),
  folder?: string,
): CommandLine {
  const argv = (text: string) => shellArguments(shell, login, text);
  const asItIs = () => ({ argv: argv(command), done: () => {} });
  if (!SH.test(shell) || command.length * 3 < ARGUMENT_BYTES) return asItIs();
  const bytes = new TextEncoder().encode(command);
  // A NUL is refused in any argument, and a file must not be the way around.
  if (bytes.length < ARGUMENT_BYTES || bytes.includes(0)) return asItIs();
  const path = writeScript(bytes, folder);
  return { argv: argv(evaluation(shell, path, command)), done: () => removeQuietly(path) };
}

/** `$(…)` takes away the last newlines, which mean something after a backslash and in a heredoc without an end. */
function evaluation(shell: string, path: string, command: string): string {
  const count = /\n*$/.exec(command.slice(-LAST_NEWLINES))![0].length;
  // What begins with `-` would be an option of `eval`.
  const start = command.startsWith("-") ? "eval ' '" : "eval ";
  const file = shellQuote(path);
  // On one line, so that lines count as they do in the text.
  if (READS_FILES.test(shell)) return `${start}"$(<${file})"$'${"\\n".repeat(count)}'`;
  return `${start}"$(cat ${file})"'${"\n".repeat(count)}'`;
}

/** Hands `use` these arguments; the file is there until it has ended. */
export async function withShell<T>(
  command: string,
  login: boolean,
  folder: string | undefined,
  use: (argv: string[]) => Promise<T>,
): Promise<T> {
  const { argv, done } = commandLine(command, login, shellProgram(), folder);
  try {
    return await use(argv);
  } finally {
    done();
  }
}

/** bash where there is one; on macOS zsh, because bash 3.2 there fails on quotes in heredocs. */
function shellProgram(): string {
  if (host.platform === "win32") return "powershell.exe";
  return host.platform === "darwin" ? "/bin/zsh" : "bash";
}

/** Where `folder` can't be written, as other short-lived files: in the system's own. */
function writeScript(bytes: Uint8Array, folder: string | undefined): string {
  if (folder !== undefined) {
    try {
      makeFolder(folder, 0o700);
      return writeIn(folder, bytes);
    } catch {
      // The next one will do.
    }
  }
  return writeIn(host.builtin<typeof import("node:os")>("node:os").tmpdir(), bytes);
}

function writeIn(folder: string, bytes: Uint8Array): string {
  const path = join(folder, passingName());
  try {
    const file = host.files.open(path, "wx", 0o600);
    try {
      file.write(bytes);
    } finally {
      file.close();
    }
    return path;
  } catch (error) {
    removeQuietly(path);
    throw fileError("write", path, error);
  }
}
