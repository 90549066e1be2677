/**
 * The scripts that hooks run, as far as their commands name them: they are as much what runs as the hooks are. Programs of
 * the system and what a script calls in turn are not looked for.
 */
import { printable } from "./errors.ts";
import { isRecord, isStrings } from "./json.ts";
import { isAbsolute, join, normalize } from "./paths.ts";
import { host } from "./runtime.ts";

type HookLike = Readonly<Record<string, unknown>>;

/** Every hook of a `hooks` object, as far as it has the shape of one. */
export function hooksIn(hooks: unknown): { event: string; hook: HookLike }[] {
  if (!isRecord(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) => listOf(group.hooks).map((hook) => ({ event, hook })))
  );
}

function listOf(value: unknown): HookLike[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** What a hook runs, in words. */
export function commandOf(hook: HookLike): string {
  const { type, command, args, url } = hook;
  if (typeof url === "string") return `${String(type)} ${url}`;
  return [command, ...isStrings(args) ? args : []].map(String).join(" ");
}

/** Paths that a hook's words name: absolute, of the home folder, or relative to `base`. They needn't exist. */
export function namedBy(hook: HookLike, base: string | undefined): string[] {
  const words = [hook.command, ...isStrings(hook.args) ? hook.args : []]
    .filter((word) => typeof word === "string").flatMap((text) => wordsOf(text));
  return [...new Set(words.flatMap((word) => pathOf(word, base) ?? []))];
}

/**
 * Words of a shell command, near enough: quotes fall away, and what separates commands separates words. A word that holds
 * several may be a command of its own, as after `sh -c`, or a path.
 */
function wordsOf(command: string): string[] {
  return (command.match(/(?:"[^"]*"|'[^']*'|\\.|[^\s;|&<>()"'\\])+/g) ?? []).flatMap((given) => {
    const word = given.replace(/^"([^"]*)"$|^'([^']*)'$/, "$1$2");
    const plain = word.replace(/["']/g, "").replace(/\\(.)/g, "$1");
    return word !== given && /[\s;|&<>()"'\\]/.test(word) ? [plain, ...wordsOf(word)] : [plain];
  });
}

const PROJECT_VARIABLE = /^\$\{?(?:CLAUDE|AGENT)_PROJECT_DIR\}?\//;

function pathOf(word: string, base: string | undefined): string | undefined {
  if (word.includes("\0") || !word.isWellFormed()) return undefined;
  const plain = word.replace(/^(?:~|\$HOME|\$\{HOME\})\//, `${host.home()}/`);
  if (isAbsolute(plain)) return normalize(plain);
  if (base === undefined) return undefined;
  if (PROJECT_VARIABLE.test(word)) return join(base, word.replace(PROJECT_VARIABLE, ""));
  return /^[\w.]/.test(word) && /[/.]/.test(word) ? join(base, word) : undefined;
}

/** A path where a command stands, or behind a program that runs what it is given; without its leading `./`. */
const RUN =
  /(?:\b(?:sh|bash|dash|zsh|ksh|python[\d.]*|node|deno(?:\s+run)?|bun|perl|ruby|php|source|exec|env|nohup|time)\s+(?:-\S+\s+)*|(?:^|[;&|(]\s*)(?:\.\s+)?)["']?(?:\.\/)?((?:\.\.\/)*[\w-][\w./-]*|\.[\w-][\w./-]*)/g;

/** Paths below `folder` that a hook's words run there. A bare name is the system's where it stands first, and a file's behind such a program. */
export function runBy({ command, args }: HookLike, folder: string): string[] {
  const text = [command, ...isStrings(args) ? args : []].filter((word) => typeof word === "string").join(" ");
  return [...text.matchAll(RUN)].filter(([whole, path]) => whole.includes("/") || !whole.startsWith(path!))
    .map(([, path]) => join(folder, path!));
}

/** What a person does about what is held back. */
export const HOW = "agent trust --user shows the change and takes it";

/**
 * The same hooks without those that `drop` picks. Of these, one that blocks when it fails stays, and fails, saying `why`: a
 * gate that is taken away is closed. `failClosed`: so does one that doesn't say what it does.
 */
export function withoutHooks(
  hooks: HookLike,
  drop: (hook: HookLike) => boolean,
  why: string,
  failClosed = hooks.failClosed === true,
): Record<string, unknown> {
  const kept = (hook: unknown): unknown[] => {
    if (!isRecord(hook) || !drop(hook)) return [hook];
    const { onFailure = failClosed ? "block" : "continue", if: rule } = hook;
    return onFailure === "block" ? [{ ...rule !== undefined && { if: rule }, ...failing(why) }] : [];
  };
  const group = (one: unknown) =>
    isRecord(one) && Array.isArray(one.hooks) ? { ...one, hooks: one.hooks.flatMap(kept) } : one;
  return Object.fromEntries(
    Object.entries(hooks).map((
      [event, groups],
    ) => [event, Array.isArray(groups) ? groups.map(group) : groups]),
  );
}

/** The same hooks without those that run a script that changed. */
export function withoutChanged(
  hooks: HookLike,
  changed: ReadonlySet<string>,
  failClosed?: boolean,
): Record<string, unknown> {
  const isHeld = (hook: HookLike) => namedBy(hook, undefined).some((path) => changed.has(path));
  return withoutHooks(hooks, isHeld, `its script changed since it was trusted; ${HOW}`, failClosed);
}

/** A hook in place of one that may not run: it fails, and that blocks. */
export function failing(why: string): HookLike {
  const quoted = `'${printable(why).replaceAll("'", `'\\''`)}'`;
  return { type: "command", command: `printf '%s\\n' ${quoted} >&2; exit 1`, onFailure: "block" };
}
