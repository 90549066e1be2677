/** Keys by their names (`ctrl-c`, `up`, `alt-x`), as the characters that a terminal sends for them. */
import { AgentError, nearest, quote } from "../core/errors.ts";

/** Keys that send the same whatever is held with them. */
const PLAIN: Readonly<Record<string, string>> = {
  enter: "\r",
  tab: "\t",
  esc: "\x1b",
  space: " ",
  backspace: "\x7f",
};

/** Final letters of `ESC [ letter`; `ESC O letter` where the program asked for application keys. */
const CURSOR: Readonly<Record<string, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  end: "F",
  home: "H",
};

/** Final letters of `ESC O letter`. */
const FIRST_FUNCTIONS: Readonly<Record<string, string>> = { f1: "P", f2: "Q", f3: "R", f4: "S" };

/** Numbers of `ESC [ number ~`. */
const NUMBERED: Readonly<Record<string, number>> = {
  "insert": 2,
  "delete": 3,
  "page-up": 5,
  "page-down": 6,
  "f5": 15,
  "f6": 17,
  "f7": 18,
  "f8": 19,
  "f9": 20,
  "f10": 21,
  "f11": 23,
  "f12": 24,
};

const ALSO: Readonly<Record<string, string>> = {
  "return": "enter",
  "escape": "esc",
  "del": "delete",
  "ins": "insert",
  "pageup": "page-up",
  "pgup": "page-up",
  "pagedown": "page-down",
  "pgdn": "page-down",
  "pgdown": "page-down",
  "backtab": "shift-tab",
};

/** What a modifier adds to the number that xterm sends for a key held with it. */
const MODIFIERS: Readonly<Record<string, number>> = {
  shift: 1,
  alt: 2,
  meta: 2,
  m: 2,
  ctrl: 4,
  control: 4,
  c: 4,
};
const SHIFT = 1, ALT = 2, CTRL = 4;

/**
 * The characters that a key sends. Names are read without regard to case, `C-c`, `^C` and `ctrl+c` are `ctrl-c`, and
 * a single character is itself. `application`: the program has asked for application cursor keys (`Screen` knows).
 */
export function keyText(name: string, application = false): string {
  const { held, key } = taken(name.trim() === "" ? name : name.trim());
  const text = sent(held, key, application);
  if (text !== undefined) return text;
  const near = name.trim() === "" ? [] : nearest(name, knownNames());
  throw new AgentError(
    `Cannot press ${quote(name)}: no such key`,
    near.length > 0
      ? `nearest: ${near.join(", ")}`
      : "keys are ctrl-a … ctrl-z, alt-x, enter, tab, shift-tab, esc, space, backspace, delete, up, down, left, " +
        "right, home, end, page-up, page-down, f1 … f12",
  );
}

/** The same for keys that are pressed one after the other. */
export function keysText(names: readonly string[], application = false): string {
  return names.map((name) => keyText(name, application)).join("");
}

/** A name's modifiers, added up, and what they are held with. */
function taken(name: string): { held: number; key: string } {
  let held = 0, key = /^\^.$/su.test(name) ? `ctrl-${name.slice(1)}` : name;
  for (let found; (found = /^([a-z]+)[-+](.+)$/isu.exec(key));) {
    const more = own(MODIFIERS, found[1]!.toLowerCase());
    if (more === undefined) break;
    held |= more;
    key = found[2]!;
  }
  key = own(ALSO, key.toLowerCase()) ?? key;
  // `shift-tab` is one key with a sequence of its own, also by its other name.
  return key === "shift-tab" ? { held: held | SHIFT, key: "tab" } : { held, key };
}

function sent(held: number, key: string, application: boolean): string | undefined {
  const name = key.toLowerCase().replace("_", "-");
  const cursor = own(CURSOR, name) ?? own(FIRST_FUNCTIONS, name);
  if (cursor !== undefined) {
    if (held !== 0) return `\x1b[1;${held + 1}${cursor}`;
    return application || own(FIRST_FUNCTIONS, name) ? `\x1bO${cursor}` : `\x1b[${cursor}`;
  }
  const number = own(NUMBERED, name);
  if (number !== undefined) return held === 0 ? `\x1b[${number}~` : `\x1b[${number};${held + 1}~`;

  const alt = held & ALT ? "\x1b" : "";
  const rest = held & ~ALT;
  if (name === "tab" && rest === SHIFT) return `${alt}\x1b[Z`;
  if (name === "space" && rest === CTRL) return `${alt}\0`;
  const plain = own(PLAIN, name);
  if (plain !== undefined) return rest === 0 ? alt + plain : undefined;
  if ([...key].length !== 1 || /\p{Cc}/u.test(key)) return undefined;
  if (rest === 0) return alt + key;
  if (rest === SHIFT && /^[a-z]$/i.test(key)) return alt + key.toUpperCase();
  return rest === CTRL ? control(key, alt) : undefined;
}

/** `ctrl-a` is 1 … `ctrl-_` is 31; `ctrl-?` is what a backspace sends. */
function control(key: string, alt: string): string | undefined {
  if (key === "?") return alt + "\x7f";
  const code = key.toUpperCase().charCodeAt(0) - 64;
  return code >= 0 && code < 32 ? alt + String.fromCharCode(code) : undefined;
}

/** An entry of a table; never what all objects have. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function knownNames(): string[] {
  const letters = Array.from({ length: 26 }, (_, i) => `ctrl-${String.fromCharCode(97 + i)}`);
  const tables = [PLAIN, CURSOR, FIRST_FUNCTIONS, NUMBERED].flatMap((table) => Object.keys(table));
  return [...tables, "shift-tab", "alt-x", ...letters];
}
