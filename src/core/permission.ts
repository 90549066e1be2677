/**
 * Rules and modes → allow, ask, deny. Deny beats ask beats allow; a hook's or mod's `allow` beats a mode's ask,
 * never a rule's. Core knows no shell grammar and no gitignore patterns: matchers for them are handed in.
 */
import { quote, UsageError } from "./errors.ts";
import { inside, join } from "./paths.ts";
import type { HookDecision } from "./hooks.ts";
import type { Entry } from "./registry.ts";
import { host } from "./runtime.ts";
import { shellQuote } from "./shell_quote.ts";
import type { Effect, Subject, Traits } from "./tool.ts";

export const MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;
export type Mode = typeof MODES[number];

export type Behavior = "allow" | "ask" | "deny";

/** `Tool`, `Tool(pattern)`, `mcp__server`, `mcp__server__*`. */
export interface Rule {
  behavior: Behavior;
  text: string;
  tool: string;
  pattern?: string;
  /** The folder that a relative pattern is relative to. */
  root: string;
  /** It was written for another program, which has tools that aren't here. */
  foreign?: true;
  /** A project brings it: it opens no file that says what runs here. */
  project?: true;
}

/** Which files say what runs here. */
export interface Guards {
  has(path: string): boolean;
}

/** A part of a call that rules look at by itself: one simple command, one path. */
export type Part = Subject & {
  /** The same command seen through `sudo`, `env`, `sh -c`, …: what a deny or ask rule also looks at. */
  inner?: readonly string[];
  /** What it does can't be told from its text: it is never allowed by a pattern. */
  opaque?: true;
  /** Not even the program, or the file, can be told: where a pattern denies or asks, a person decides whether it is meant. */
  unknown?: true;
  /** A file that a script inside another part opens: rules that deny or ask look at it, what allows that part covers it. */
  nested?: true;
};

/** What core doesn't know how to do itself. Each is loaded when a rule needs it. */
export interface Matchers {
  /** `guards`: the rule denies or asks, so it also holds for what its own path leads to by links. */
  path(pattern: string, path: string, root: string, guards: boolean): boolean | Promise<boolean>;
  command(pattern: string, command: string): boolean | Promise<boolean>;
  /** The simple commands and redirected files of a command's text; `undefined` where it can't be parsed. */
  commandParts(
    command: string,
    cwd: string,
  ): readonly Part[] | undefined | Promise<readonly Part[] | undefined>;
}

export interface Decision {
  behavior: Behavior;
  /** In words, for the result: which rule or mode. */
  reason: string;
  /**
   * Who decided. What a rule said, no hook's or mod's `allow` overrides, nor what guards the files that say what runs
   * here; that one a rule can open.
   */
  by: "rule" | "mode" | "hook" | "guard";
  /** A rule that would allow it, for the hint. */
  allowWith?: string;
}

export interface Asked {
  entry: Entry;
  traits: Traits;
  cwd: string;
  /** The working folders, as real paths: reading inside them needs no leave. */
  folders: readonly string[];
  mode: Mode;
  /** The call as it came, where its tool said that it is another's: rules about that hold for it too. */
  came?: Asked;
}

/** What PreToolUse hooks came to. */
export interface HookSays {
  decision: HookDecision | undefined;
  reason: string;
}

/**
 * A decision with what hooks say of the call. Their `allow` answers what a mode would have asked, and nothing that a
 * rule or the mode `plan` said; their `ask` is an ask like a rule's.
 */
export function withHooks(decision: Decision, { decision: says, reason }: HookSays, mode: Mode): Decision {
  const { behavior, by } = decision;
  if (says === "allow" && by === "mode" && (behavior === "ask" || mode === "dontAsk")) {
    return { ...decision, behavior: "allow", by: "hook" };
  }
  if (says !== "ask" || behavior !== "allow") return decision;
  // Nobody is asked in this mode, whoever wants to.
  const asked = mode === "dontAsk" ? "deny" : "ask";
  return { ...decision, behavior: asked, by: "hook", reason: reason || "a hook asks for leave" };
}

/** Why a call doesn't run, and what a person can do: only what a mode said can be changed by a rule. */
export function refusal(
  name: string,
  { behavior, by, reason, allowWith }: Decision,
): { message: string; hint?: string } {
  const message = `Cannot run ${name}: ${behavior === "ask" ? "nobody said yes" : "denied"} (${reason})`;
  if ((by === "mode" || by === "guard") && allowWith !== undefined) {
    return { message, hint: `a person can allow it with --allow ${shellQuote(allowWith)}` };
  }
  return behavior === "ask" ? { message, hint: "it runs where somebody can be asked" } : { message };
}

/** The rules of a text: one, or several between commas, as lists of tools are often written. */
export function parseRules(text: string, behavior: Behavior, root: string): Rule[] {
  const parts: string[] = [];
  let depth = 0, from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth <= 0) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts.map((part) => parseRule(part, behavior, root));
}

/** Parses `Tool(pattern)`. Throws a `UsageError` that quotes the rule. */
export function parseRule(text: string, behavior: Behavior, root: string): Rule {
  const match = /^\s*([\w*.-]+)\s*(?:\((.*)\))?\s*$/s.exec(text);
  if (!match) {
    throw new UsageError(
      `Cannot read the rule ${quote(text)}: not Tool or Tool(pattern)`,
      "e.g. Bash(git *)",
    );
  }
  const [, tool, pattern] = match;
  if (pattern?.trim() === "") {
    throw new UsageError(
      `Cannot read the rule ${quote(text)}: its pattern is empty`,
      `${tool} alone stands for every call of it`,
    );
  }
  const rule: Rule = { behavior, text: text.trim(), tool: tool!, root };
  if (pattern !== undefined && pattern.trim() !== "*") rule.pattern = pattern.trim();
  return rule;
}

/** The rules whose name fits none of `names`: most likely slips. */
export function rulesWithoutTool(rules: readonly Rule[], names: ReadonlySet<string>): Rule[] {
  return rules.filter(({ tool, foreign }) =>
    !foreign && !tool.startsWith("mcp__") && !nameMatches(tool, names)
  );
}

export class Policy {
  readonly #rules: readonly Rule[];
  readonly #matchers: Matchers;
  /** Tools that a rule's name covers by effect: the rule for editing covers every tool that writes. */
  readonly #covers: ReadonlyMap<string, Effect>;
  /** Writing these needs a rule that means them. */
  readonly #guards: Guards | undefined;
  readonly #read = new WeakMap<Traits, { cwd: string; parts: Promise<readonly Part[]> }>();

  constructor(
    rules: readonly Rule[],
    matchers: Matchers,
    covers: ReadonlyMap<string, Effect>,
    guards?: Guards,
  ) {
    this.#rules = rules;
    this.#matchers = matchers;
    this.#covers = covers;
    this.#guards = guards;
  }

  /** The deny rule that stands against the call, if one does; `undefined` at once where none concerns it. */
  denied(asked: Asked): Promise<Decision | undefined> | undefined {
    const { came } = asked;
    const concerned = (rule: Rule) => this.#concerns(rule, asked) || (came && this.#concerns(rule, came));
    if (!this.#rules.some((rule) => rule.behavior === "deny" && concerned(rule))) return undefined;
    return Promise.resolve(this.decide(asked))
      .then((decision) => decision.behavior === "deny" && decision.by === "rule" ? decision : undefined);
  }

  /** Rules, then the mode. The strictest answer of all parts of the call. */
  decide(asked: Asked): Decision | Promise<Decision> {
    return asked.came ? this.#decideBoth(asked, asked.came) : this.#decideOne(asked);
  }

  /** What rules say of the call as it came counts like what they say of what it is; the mode looks at that alone. */
  async #decideBoth(asked: Asked, came: Asked): Promise<Decision> {
    const is = await this.#decideOne(asked);
    const was = await this.#decideOne(came);
    if (was.by !== "rule") return is;
    return is.by === "mode" || rank(was) > rank(is) ? was : is;
  }

  #decideOne(asked: Asked): Decision | Promise<Decision> {
    const rules = this.#rules.length === 0
      ? this.#rules
      : this.#rules.filter((rule) => this.#concerns(rule, asked));
    const subjects = asked.traits.subjects ?? [];
    if (rules.length === 0 && !subjects.some((subject) => this.#mayBeGuarded(subject))) {
      return this.#byMode(asked, subjects);
    }
    return this.#byRules(asked, rules);
  }

  /** Which files a command redirects to is known once it is read, which is only worth it where it redirects at all. */
  #mayBeGuarded(subject: Subject): boolean {
    if (subject.kind === "command") return this.#guards !== undefined && subject.value.includes(">");
    return this.#isGuarded(subject);
  }

  #isGuarded({ kind, value, access }: Subject): boolean {
    return kind === "path" && access !== "read" && this.#guards?.has(value) === true;
  }

  async #byRules(asked: Asked, rules: readonly Rule[]): Promise<Decision> {
    const parts = await this.#parts(asked);
    let worst: Decision | undefined;
    for (const part of parts) {
      const decision = await this.#decidePart(asked, part, rules);
      if (!decision) continue;
      if (!worst || rank(decision) > rank(worst)) worst = decision;
    }
    return worst!;
  }

  /** `undefined` where nothing stands against what another part answers for. */
  async #decidePart(asked: Asked, part: Part, rules: readonly Rule[]): Promise<Decision | undefined> {
    const settled = (behavior: Behavior, reason: string): Decision => ({
      // Nobody is asked in this mode, whoever wants to.
      behavior: behavior === "ask" && asked.mode === "dontAsk" ? "deny" : behavior,
      reason,
      by: "rule",
      ...this.#allowWith(asked, part),
    });
    const guarded = this.#isGuarded(part);
    for (const behavior of ["deny", "ask", "allow"] as const) {
      for (const rule of rules) {
        if (rule.behavior !== behavior) continue;
        if (guarded && behavior === "allow" && !this.#meansGuarded(rule)) continue;
        if (await this.#matches(rule, part, asked)) {
          return settled(behavior, `the ${behavior} rule ${quote(rule.text)}`);
        }
      }
      // After the deny rules, before all others: a rule that may be meant, and nobody can tell.
      const guard = behavior === "deny" && part.unknown &&
        rules.find((rule) => this.#mayMean(rule, part));
      if (guard) {
        return settled(
          "ask",
          `it can't be told whether the ${guard.behavior} rule ${quote(guard.text)} fits`,
        );
      }
    }
    if (!guarded || asked.mode === "plan") return part.nested ? undefined : this.#byMode(asked, [part]);
    const reason = `${quote(part.value)} says what runs here, so it needs a rule of its own`;
    return { ...settled("ask", reason), by: "guard" };
  }

  /** Only a rule that names such files, or a folder of theirs, opens them; one that fits them by its wildcards doesn't. */
  #meansGuarded({ pattern, root, project }: Rule): boolean {
    if (pattern === undefined || project) return false;
    const parts = pattern.replace(/^~\//, `${host.home()}/`).split("/");
    const wild = parts.findIndex((part) => /[*?[\]]/.test(part));
    const plain = wild < 0 ? parts : parts.slice(0, wild);
    const named = plain.join("/");
    const isAnywhere = parts.filter((part) => part !== "").length === 1;
    const path = named.startsWith("//")
      ? named.slice(1)
      : named.startsWith(host.home())
      ? named
      : join(root, named);
    return !isAnywhere && named !== "" && this.#guards!.has(path) ||
      // Below any folder: `**/.agent/**`, or its name alone.
      parts.some((part) => part !== "" && this.#guards!.has(join(root, part)) && part.startsWith("."));
  }

  /** A deny or ask rule with a pattern, held against a command or a file that nobody can tell. */
  #mayMean(rule: Rule, part: Part): boolean {
    if (rule.behavior === "allow" || rule.pattern === undefined) return false;
    return this.#coversFiles(rule) === (part.kind === "path" ? part.access : undefined);
  }

  /** Does one rule fit the call, or may it, as far as can be told? For hooks that a rule limits. */
  async mayFit(asked: Asked): Promise<boolean> {
    if (asked.came && await this.mayFit(asked.came)) return true;
    const rules = this.#rules.filter((rule) => this.#concerns(rule, asked));
    if (rules.length === 0) return false;
    for (const part of await this.#parts(asked)) {
      for (const rule of rules) {
        if (await this.#matches(rule, part, asked) || (part.unknown && this.#mayMean(rule, part))) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * For a call that was let in and comes upon further files: is one of them kept from being read? By deny rules, and by
   * ask rules that nobody was asked about for this call. `undefined` where no rule is about some files and not others.
   */
  withholds(asked: Asked): ((path: string) => Promise<boolean>) | undefined {
    const reading = (value: string) => ({ kind: "path", value, access: "read" }) as const;
    const traits: Traits = { effect: "read", subjects: [reading("")] };
    const narrow = this.#rules.filter((rule) =>
      rule.behavior !== "allow" && rule.pattern !== undefined && this.#concerns(rule, { ...asked, traits })
    );
    if (narrow.length === 0) return undefined;
    const fits = (rule: Rule, part: Part) => this.#matches(rule, part, { ...asked, traits });
    let open: Promise<Rule[]> | undefined;
    const unanswered = async () => {
      const parts = asked.traits.subjects ?? [];
      const answered = await Promise.all(
        narrow.map(async (rule) => (await Promise.all(parts.map((part) => fits(rule, part)))).includes(true)),
      );
      return narrow.filter((_, index) => !answered[index]);
    };
    return async (path) => {
      for (const rule of await (open ??= unanswered())) if (await fits(rule, reading(path))) return true;
      return false;
    };
  }

  /** Read once for a call's arguments in a folder, though rules are asked several times. */
  #parts(asked: Asked): Promise<readonly Part[]> {
    const { traits, cwd } = asked;
    const known = this.#read.get(traits);
    if (known?.cwd === cwd) return known.parts;
    const parts = this.#readParts(asked);
    this.#read.set(traits, { cwd, parts });
    return parts;
  }

  async #readParts(asked: Asked): Promise<readonly Part[]> {
    const subjects = asked.traits.subjects ?? [];
    if (subjects.length === 0) {
      return [{ kind: "tool", value: asked.entry.name, access: asked.traits.effect }];
    }
    const parts: Part[] = [];
    for (const subject of subjects) {
      if (subject.kind !== "command") parts.push(subject);
      else {
        const found = await this.#matchers.commandParts(subject.value, subject.cwd ?? asked.cwd);
        if (found === undefined) parts.push({ ...subject, opaque: true, unknown: true });
        else if (found.length === 0) parts.push({ ...subject, opaque: true });
        else parts.push(...found);
      }
    }
    return parts;
  }

  #concerns(rule: Rule, { entry, traits }: Asked): boolean {
    return nameMatches(rule.tool, entry.names) || this.#coversAccess(rule, traits);
  }

  /** What a rule about files covers. */
  #coversFiles(rule: Rule): "read" | "write" | undefined {
    const covered = this.#covers.get(rule.tool);
    return covered === "run" ? undefined : covered;
  }

  #coversAccess(rule: Rule, traits: Traits): boolean {
    const covered = this.#covers.get(rule.tool);
    if (covered === undefined) return false;
    // Whoever runs a command, or hands one to a program that runs.
    if (covered === "run") return (traits.subjects ?? []).some(({ kind }) => kind === "command");
    // A command can write and read any file, but only its redirections say which.
    return traits.effect === covered ||
      (traits.subjects ?? []).some((subject) =>
        subject.kind === "command" ||
        subject.access === covered
      );
  }

  async #matches(rule: Rule, part: Part, { traits }: Asked): Promise<boolean> {
    const covered = this.#coversFiles(rule);
    if (part.kind === "command") {
      // A rule about files says nothing about a command's text.
      if (covered !== undefined) return false;
      if (rule.pattern === undefined) return true;
      if (rule.behavior === "allow") {
        return !part.opaque && await this.#matchers.command(rule.pattern, part.value);
      }
      for (const text of [part.value, ...part.inner ?? []]) {
        if (await this.#matchers.command(rule.pattern, text)) return true;
      }
      return false;
    }
    if (part.kind === "path") {
      const fits = covered === undefined || part.access === undefined || part.access === covered ||
        (rule.behavior === "allow" && covered === "write");
      if (!fits) return false;
      if (rule.pattern === undefined) return true;
      if (part.unknown) return false;
      // A pattern for commands says nothing about the files that they redirect to.
      if (covered === undefined && (traits.subjects ?? []).some(({ kind }) => kind === "command")) {
        return false;
      }
      return await this.#matchers.path(rule.pattern, part.value, rule.root, rule.behavior !== "allow");
    }
    return rule.pattern === undefined || rule.pattern === part.value;
  }

  /** What the mode says where no rule does. */
  #byMode(asked: Asked, parts: readonly Part[]): Decision {
    const { mode, traits, folders } = asked;
    const isWithinFolders = (part: Part) => part.kind !== "path" || isWithin(folders, part.value);
    // What is allowed anyway needs no rule.
    const inNeed = (part: Part) => !allows(mode, part.access ?? traits.effect, isWithinFolders(part));
    const decision = (behavior: Behavior, why: string): Decision => ({
      behavior,
      reason: `mode ${mode}: ${why}`,
      by: "mode",
      ...this.#allowWith(asked, parts.find(inNeed) ?? parts[0]),
    });
    if (mode === "bypassPermissions") return decision("allow", "everything is allowed");
    const access = strongest(parts, traits.effect);
    const within = parts.every(isWithinFolders);
    if (access === "read" && within) return decision("allow", "reading inside the working folder");
    if (mode === "plan" && access !== "read") return decision("deny", "only reading is allowed");
    if (mode === "acceptEdits" && access === "write" && within) {
      return decision("allow", "edits are accepted");
    }
    const what = { read: "reading outside the working folder", write: "writing", run: "running" }[access];
    return decision(mode === "dontAsk" ? "deny" : "ask", `${what} needs to be allowed`);
  }

  /** The narrowest rule that would have allowed this part. */
  #allowWith({ entry, traits }: Asked, part: Part | undefined): { allowWith: string } {
    if (part?.kind === "path" && !part.unknown) {
      // A pattern for commands says nothing about the files that they redirect to: a rule for files does.
      const byCommand = (traits.subjects ?? []).some(({ kind }) => kind === "command");
      return { allowWith: `${byCommand ? this.#nameFor(part.access) : entry.name}(/${part.value})` };
    }
    if (part?.kind === "command" && !part.opaque) {
      const words = part.value.split(" ");
      const first = words[0]!;
      if (first.length <= 60) {
        return { allowWith: `${entry.name}(${words.length > 1 ? `${first} *` : part.value})` };
      }
    }
    return { allowWith: entry.name };
  }

  /** A name whose rules cover every tool with this effect. */
  #nameFor(access: Effect | undefined): string {
    for (const [name, effect] of this.#covers) if (effect === (access ?? "write")) return name;
    return "*";
  }
}

/** Does a mode allow as much, inside the working folders or outside, without being asked? */
function allows(mode: Mode, access: Effect, within: boolean): boolean {
  return mode === "bypassPermissions" ||
    (within && (access === "read" || (mode === "acceptEdits" && access === "write")));
}

function isWithin(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => inside(folder, path) !== undefined);
}

const RANK: Record<Behavior, number> = { allow: 0, ask: 2, deny: 4 };

/** Of equal answers a rule's counts, since a mode's may be overridden. */
function rank({ behavior, by }: Decision): number {
  return RANK[behavior] + (by === "mode" ? 0 : 1);
}

function strongest(parts: readonly Part[], effect: Effect): Effect {
  if (parts.length === 0) return effect;
  const accesses = parts.map((part) => part.access ?? effect);
  return accesses.includes("run") ? "run" : accesses.includes("write") ? "write" : "read";
}

/** `mcp__server` stands for all its tools, `*` for any run of characters; anything else is one name. */
function nameMatches(rule: string, names: ReadonlySet<string>): boolean {
  if (names.has(rule) || rule === "*") return true;
  if (rule.endsWith("*")) {
    const prefix = rule.slice(0, -1);
    for (const name of names) if (name.startsWith(prefix)) return true;
    return false;
  }
  if (!rule.startsWith("mcp__")) return false;
  for (const name of names) if (name.startsWith(`${rule}__`)) return true;
  return false;
}
