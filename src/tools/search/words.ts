/** ripgrep's words. What a caller wrote stands behind a "=" or after "--", so that none of it is taken as an option. */
import { AgentError, quote } from "../../core/errors.ts";

/** What version control keeps of its own: never searched, but where it is named. */
export const OF_VERSION_CONTROL: readonly string[] = [".git", ".hg", ".svn", ".jj"];

export const COMMON_WORDS: readonly string[] = ["--no-config", "--hidden", "--null", "--color=never"];

export interface Narrowing {
  glob?: readonly string[];
  type?: string;
}

/** Which files are searched; a glob may fit anywhere below. Throws what is wrong with one. */
export function narrowed({ glob = [], type }: Narrowing): string[] {
  return [
    ...glob.map((one) => `--glob=${anywhere(one)}`),
    ...type === undefined ? [] : [`--type=${type}`],
    ...OF_VERSION_CONTROL.map((name) => `--glob=!${name}`),
  ];
}

/** Globs with a slash would otherwise start in the folder that ripgrep was started in. */
function anywhere(glob: string): string {
  const isExcluding = glob.startsWith("!");
  const plain = (isExcluding ? glob.slice(1) : glob).replace(/^\.\//, "");
  if (plain === "") {
    throw new AgentError(
      `Cannot use the glob ${quote(glob)}: it is empty`,
      "leave it out to search all files",
    );
  }
  const placed = plain.startsWith("/") ? `**${plain}` : plain.startsWith("**") ? plain : `**/${plain}`;
  return isExcluding ? `!${placed}` : placed;
}

/** What is written, checked for what no program can be given. */
export function checkedText(text: string, what: string): string {
  if (!text.includes("\0")) return text;
  throw new AgentError(`Cannot use the ${what} ${quote(text)}: it holds a NUL character`, "leave it out");
}
