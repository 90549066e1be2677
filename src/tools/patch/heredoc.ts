/**
 * A shell script that is nothing but a patch in a heredoc.
 *
 *     script  = ( "cd" word "&&" )? program heredoc
 *     program = "apply_patch" | "applypatch"
 *     heredoc = "<<" "-"? ( "'" name "'" | '"' name '"' | name ) LF ( line LF )* name
 *
 * The word is plain or in quotes, and holds nothing that a shell would expand but a leading `~`. The text is taken as
 * it is, also where the name stands without quotes: whoever writes a patch means its text. Blanks around the whole
 * don't count; anything else before, behind or beside it makes it a script like any other.
 */

export interface HeredocPatch {
  /** The patch's text. */
  input: string;
  /** The folder to which its paths are relative, where the script says one. */
  folder?: string;
  /** What would run, without the text: nothing in it is ever run, so nobody need look for commands there. */
  command: string;
}

const START =
  /^\s*(?:cd[ \t]+(?<word>'[^'\n]+'|"[^"$`\\\n]+"|[\w.,:@%+=/~-]+)[ \t]*&&\s*)?apply_?patch[ \t]*<<(?<dash>-?)[ \t]*(?<quote>['"]?)(?<name>[\w.-]+)\k<quote>[ \t]*\r?\n/;

/** The patch that a script is, if it is one and nothing else. */
export function patchInScript(script: string): HeredocPatch | undefined {
  const start = START.exec(script);
  if (!start) return undefined;
  const { word, dash, name } = start.groups!;
  const folder = word === undefined ? undefined : folderOf(word);
  if (word !== undefined && folder === undefined) return undefined;
  const lines = script.slice(start[0].length).split("\n").map((line) => {
    const text = line.replace(/\r$/, "");
    return dash === "-" ? text.replace(/^\t+/, "") : text;
  });
  const end = lines.indexOf(name!);
  if (end < 0 || lines.slice(end + 1).some((line) => line.trim() !== "")) return undefined;
  const input = lines.slice(0, end).map((line) => `${line}\n`).join("");
  const command = start[0].slice(0, start[0].lastIndexOf("<<")).trim();
  return { input, command, ...(folder !== undefined && { folder }) };
}

/** The patch that a program's arguments hold: `["apply_patch", text]`. */
export function patchInArguments([program, input, ...more]: readonly string[]): HeredocPatch | undefined {
  if (program === undefined || !/^apply_?patch$/.test(program)) return undefined;
  return input === undefined || more.length > 0 ? undefined : { input, command: program };
}

/** What `cd` gets; `undefined` for an option, the folder before, and another user's home. */
function folderOf(word: string): string | undefined {
  const quoted = /^['"]/.test(word);
  const text = quoted ? word.slice(1, -1) : word;
  if (text.startsWith("-")) return undefined;
  if (!text.startsWith("~")) return text;
  // In quotes it is a name like any other.
  if (quoted) return `./${text}`;
  return /^~(?:\/|$)/.test(text) ? text : undefined;
}
