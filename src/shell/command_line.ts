/** How the text of a command becomes the argument list of a shell. */
import { fileError } from "../core/errors.ts";
import { randomHex } from "../core/hash.ts";
import { host } from "../core/runtime.ts";
import { shellQuote } from "../core/shell_quote.ts";

/** One argument may have 128 KB on Linux, whatever all of them together may have. */
const ARGUMENT_BYTES = 100_000;

/**
 * Hands `use` the arguments that run `command` in the shell: the text itself, untouched. Text that is too long for
 * an argument is read by the same shell from a file, which is there until `use` has ended.
 */
export async function withShell<T>(
  command: string,
  login: boolean,
  use: (argv: string[]) => Promise<T>,
): Promise<T> {
  if (host.platform === "win32") {
    return await use(["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", command]);
  }
  // Without the `--`, text that starts with `-` would be the shell's own option.
  const run = (text: string) => use([shellProgram(), login ? "-lc" : "-c", "--", text]);
  if (command.length * 3 < ARGUMENT_BYTES) return await run(command);
  const bytes = new TextEncoder().encode(command);
  if (bytes.length < ARGUMENT_BYTES) return await run(command);
  const path = writeScript(bytes);
  try {
    return await run(`. ${shellQuote(path)}`);
  } finally {
    host.files.remove(path);
  }
}

/** bash where there is one; on macOS zsh, because bash 3.2 there fails on quotes in heredocs. */
function shellProgram(): string {
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
