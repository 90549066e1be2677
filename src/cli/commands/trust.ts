/** `agent trust`: shows what a repository brings, or what became of the user's own plugins and hooks, and trusts it. */
import { errorCode, quote, UsageError } from "../../core/errors.ts";
import { join, realPath, resolvePath } from "../../core/paths.ts";
import { findProject, PROJECT_FOLDER } from "../../core/project.ts";
import { host } from "../../core/runtime.ts";
import { diffLines } from "../../core/text_diff.ts";
import { refuseWithinSession } from "../../core/trust_write.ts";
import { exists } from "../../core/upkeep.ts";
import { MARKED } from "../../shell/processes.ts";
import { openTerminal } from "../ask.ts";
import type { Invocation } from "../command.ts";
import type { Printer } from "../printer.ts";
import { type Look, lookAtProject, lookAtUser, type ShownPlugin } from "./trust_look.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, args, printer } = invocation;
  if (flags.has("user") && args.length > 0) {
    throw new UsageError(
      "Cannot use --user with a folder: it is about your own config folder",
      "agent trust --user",
    );
  }
  const root = flags.has("user") ? undefined : rootOf(args[0] ?? ".");
  if (root === undefined && !flags.has("user")) {
    if (flags.has("json")) printer.json({ path: null, state: "none", trusted: false });
    else printer.note("this folder's project brings no settings, hooks, plugins or servers");
    return 0;
  }
  const look = root === undefined ? await lookAtUser() : await lookAtProject(root);
  const trusted = look.state === "trusted" || await decide(look, invocation);
  if (flags.has("json")) printer.json({ ...plain(look), diff: diffOf(look), trusted });
  return trusted ? 0 : 1;
}

/** The project around a folder; `undefined` where it has nothing that could be trusted. */
function rootOf(folder: string): string | undefined {
  const path = resolvePath(host.cwd(), folder);
  try {
    if (host.files.stat(path).kind !== "directory") {
      throw new UsageError(`Cannot trust ${quote(path)}: not a folder`);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new UsageError(`Cannot trust ${quote(path)}: no such folder`);
  }
  const cwd = realPath(path);
  const place = findProject(cwd) ?? { root: cwd };
  const has = [PROJECT_FOLDER, ".mcp.json"].some((name) => exists(join(place.root, name)));
  return has ? place.root : undefined;
}

/** Shows it, and takes the person's word. */
async function decide(look: Look, { flags, printer }: Invocation): Promise<boolean> {
  if (!flags.has("json")) show(look, printer);
  const isAsked = !flags.has("yes");
  if (isAsked && (flags.has("json") || flags.has("no-input") || !host.isTerminal(0))) {
    if (!flags.has("json")) {
      const flag = flags.has("user") ? "--user --yes" : "--yes";
      printer.note(`nothing was asked, so nothing has changed; agent trust ${flag} trusts what stands here`);
    }
    return false;
  }
  refuseWithinSession(MARKED);
  if (isAsked) {
    const answer = await openTerminal(printer)(`Trust ${visible(look.path)} as it stands here? [y]es, [n]o`);
    if (answer.trim().toLowerCase()[0] !== "y") return false;
  }
  look.keep();
  if (!flags.has("json")) printer.note(`${visible(look.path)} is trusted until any of this changes`);
  return true;
}

function show(look: Look, printer: Printer): void {
  const { path, state, files, hooks, plugins, settings, servers, notes } = look;
  const line = (text: string) => printer.line(visible(text));
  line(`${path}  ${state === "new" ? "never trusted" : "changed since it was trusted"}`);
  for (const { event, runs, source } of hooks) line(`  hook ${event}: ${runs}  (${source})`);
  for (const plugin of plugins) line(`  plugin ${inWords(plugin)}`);
  for (const { name, value, source } of settings) {
    line(`  setting ${name} = ${JSON.stringify(value)}  (${source})`);
  }
  for (const note of notes) line(`  note ${note}`);
  for (const server of servers) line(`  server ${server}  (started by nothing yet)`);
  for (const [name, is] of files) line(`  file ${short(is)}  ${name}`);
  if (state === "changed") { for (const text of diffOf(look)) line(text); }
}

function inWords({ name, entry, uses, imports, fault }: ShownPlugin): string {
  const declared = uses === "computed"
    ? "computed, only running it would tell"
    : uses.join(", ") || "nothing declared";
  const asks = imports.length === 0 ? "" : `; imports ${imports.join(", ")}`;
  return `${name}: uses ${declared}${asks}${fault === undefined ? "" : `; ${fault}`}  (${entry})`;
}

/** Lines of one file's change that are shown. */
const MOST_LINES = 400;

/** The start of a hash says enough; what is no hash is said whole. */
function short(is: string): string {
  return is.length === 64 ? is.slice(0, 16) : is;
}

/** What changed since the last time, as a unified diff; what can't be shown so is named with what it was and is. */
function diffOf({ state, files, texts, before, were }: Look): string[] {
  if (state !== "changed") return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(texts)])].sort();
  const are = Object.fromEntries(files);
  const untold = [...new Set([...Object.keys(were), ...Object.keys(are)])].sort().flatMap((name) => {
    const old = textIn(were, name), now = textIn(are, name);
    if (old === now || isTold(name, old, now)) return [];
    return [`changed, not shown: ${name}  ${short(old ?? "absent")} -> ${short(now ?? "absent")}`];
  });
  /** Is all that a file was and is there to be shown? */
  function isTold(name: string, old?: string, now?: string): boolean {
    return (old === undefined || textIn(before, name) !== undefined) &&
      (now === undefined || textIn(texts, name) !== undefined);
  }
  const lines = names.flatMap((name) => {
    const old = textIn(before, name), now = textIn(texts, name);
    if (
      old === now || (name in are || name in were) && !isTold(name, textIn(were, name), textIn(are, name))
    ) {
      return [];
    }
    const hunks = diffLines(old ?? "", now ?? "");
    const more = hunks.length - MOST_LINES;
    return [
      `--- ${old === undefined ? "/dev/null" : name}`,
      `+++ ${now === undefined ? "/dev/null" : name}`,
      ...hunks.slice(0, MOST_LINES),
      ...more > 0 ? [`(${more} more lines)`] : [],
    ];
  });
  return [...lines, ...untold];
}

function textIn(texts: Look["texts"], name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** What a stranger wrote, on one line, and unable to steer a terminal or to turn a line around. */
function visible(text: string): string {
  return text.replace(
    /[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function plain(
  { keep: _, texts: __, before: ___, were: ____, files, ...rest }: Look,
): Record<string, unknown> {
  return { ...rest, files: files.map(([name, is]) => ({ name, is })) };
}
