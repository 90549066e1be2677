/** How the text of a command becomes the argument list of a shell. */
import { fileError } from "../core/errors.ts";
import { randomHex } from "../core/hash.ts";
import { host } from "../core/runtime.ts";
import { shellQuote } from "../core/shell_quote.ts";
import { removeQuietly } from "../core/upkeep.ts";

/** One argument may have 128 KB on Linux, whatever all of them together may have. */
const ARGUMENT_BYTES = 100_000;

/** How a command is started. */
export interface CommandLine {
  argv: string[];
  /** To be called once it has ended: takes away the file that held its text, if there was one. */
  done(): void;
}

/**
 * The arguments that run `command` in the shell: the text itself, untouched. Text that is too long for an argument is
 * read by the same shell from a file.
 */
export function commandLine(command: string, login: boolean, shell = shellProgram()): CommandLine {
  if (/(?:^|[/\\])(?:powershell|pwsh)(?:\.exe)?$/i.test(shell)) {
    return { argv: [shell, "-NoProfile", "-NonInteractive", "-Command", command], done: () => {} };
  }
  // Without the `--`, text that starts with `-` would be the shell's own option.
  const argv = (text: string) => [shell, login ? "-lc" : "-c", "--", text];
  if (command.length * 3 < ARGUMENT_BYTES) return { argv: argv(command), done: () => {} };
  const bytes = new TextEncoder().encode(command);
  if (bytes.length < ARGUMENT_BYTES) return { argv: argv(command), done: () => {} };
  const path = writeScript(bytes);
  return { argv: argv(`. ${shellQuote(path)}`), done: () => removeQuietly(path) };
}

/** Hands `use` these arguments; the file is there until it has ended. */
export async function withShell<T>(
  command: string,
  login: boolean,
  use: (argv: string[]) => Promise<T>,
): Promise<T> {
  const { argv, done } = commandLine(command, login);
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

function writeScript(bytes: Uint8Array): string {
  const folder = host.builtin<typeof import("node:os")>("node:os").tmpdir();
  const path = `${folder}/agent-command-${host.pid}-${randomHex(12)}`;
  try {
    const file = host.files.open(path, "wx", 0o600);
    try {
      file.write(bytes);
    } finally {
      file.close();
    }
    return path;
  } catch (error) {
    throw fileError("write", path, error);
  }
}
