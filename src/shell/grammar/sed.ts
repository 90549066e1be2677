/** Reads a script of `sed`: which commands it runs, which files it opens. */

/** What a script does besides editing. */
export interface SedScript {
  /** Commands that it runs. */
  scripts: string[];
  /** Files that it reads and writes. */
  files: { path: string; access: "read" | "write" }[];
  /** It runs a text that isn't in it, or can't be read. */
  unknown: boolean;
}

/** Commands without a value, or with a number at most. */
const SIMPLE = "={}dDgGhHnNpPxlqQzF";
/** Commands whose value goes on to the end of the line. */
const TEXTS = "aic";
const LABELS = ":btTv";
const FILES: Readonly<Record<string, "read" | "write">> = { r: "read", R: "read", w: "write", W: "write" };

/**
 * `[address[,address]][!]command`, between `;`, `}` or line ends. `e` runs its value or what it works on, the flag `e` of
 * `s` what the replacement made; whatever else isn't known here makes the script unreadable.
 */
export function readSed(script: string): SedScript {
  const found: SedScript = { scripts: [], files: [], unknown: false };
  let at = 0;
  const rest = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const text = pattern.exec(script)?.[0] ?? "";
    at += text.length;
    return text;
  };
  /** Up to a delimiter that isn't escaped, nor in brackets where those count. */
  const section = (delimiter: string, brackets: boolean): string | undefined => {
    const from = at;
    for (let inside = false; at < script.length; at++) {
      const char = script[at]!;
      if (inside) inside = char !== "]" || script[at - 1] === "[" || script.slice(at - 2, at) === "[^";
      else if (char === "\\") at++;
      else if (char === delimiter) return script.slice(from, at++);
      else if (char === "[" && brackets) inside = true;
    }
    return undefined;
  };
  /** Is an address read, or none there? */
  const address = (): boolean => {
    if (rest(/[+~]?\d+(~\d+)?|\$/y) !== "") return true;
    const start = rest(/\/|\\[^]/y);
    if (start === "") return true;
    const read = section(start.at(-1)!, true) !== undefined;
    rest(/[IM]*/y);
    return read;
  };
  const unreadable = (): SedScript => ({ ...found, unknown: true });
  while (rest(/[\s;]*/y), at < script.length) {
    if (!address()) return unreadable();
    if (rest(/\s*,\s*/y) !== "" && !address()) return unreadable();
    rest(/[\s!]*/y);
    const command = script[at++];
    if (command === "#") rest(/.*/y);
    else if (command === undefined) return unreadable();
    else if (SIMPLE.includes(command)) rest(/\s*\d*/y);
    else if (TEXTS.includes(command)) rest(/(?:\\[^]|[^\\\n])*/y);
    else if (LABELS.includes(command)) rest(/[^\n;}]*/y);
    else if (command in FILES) found.files.push({ path: rest(/.*/y).trim(), access: FILES[command]! });
    else if (command === "e") run(rest(/.*/y));
    else if (command === "y" || command === "s") {
      const delimiter = script[at++];
      if (delimiter === undefined || section(delimiter, command === "s") === undefined) return unreadable();
      const replacement = section(delimiter, false);
      if (replacement === undefined) return unreadable();
      if (command === "s") {
        const flags = rest(/[gpiImMe\d]*/y);
        if (flags.includes("e")) {
          found.scripts.push(replacement);
          found.unknown = true;
        }
        if (script[at] === "w") {
          at++;
          found.files.push({ path: rest(/.*/y).trim(), access: "write" });
        }
      }
    } else return unreadable();
    if (!/^[ \t]*([;}#\n]|$)/.test(script.slice(at, at + 1000)) && !"{}:".includes(command!)) {
      return unreadable();
    }
  }
  return found;

  function run(text: string): void {
    if (text.trim() === "") found.unknown = true;
    else found.scripts.push(text.trim());
  }
}
