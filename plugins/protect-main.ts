/**
 * No commits, merges, rebases and pushes on main or master. Settings:
 *
 *     "plugins": {"protect-main": {"branches": ["main", "release"]}}
 *
 * Commands are read as text and the branch from `.git/HEAD`: git isn't started, so nothing that a repository configures
 * runs. Follows `cd`, `git -C`, worktrees, `sh -c`, and a switch joined by `&&`; refuses what it can't tell. It guards
 * against slips: an alias, or a script that calls git, gets past it.
 */
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { definePlugin } from "agent";

const WORD = String.raw`(?:\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"|\$(?!\()|[^\s\\'"$;&|()<>\x60])+`;
const DROPPED = String.raw`\\\n|[^\S\n]+|#.*|(?:\d+|&)?(?:<<<|<>|>>|[<>])[|&]?[^\S\n]*(?:${WORD})?`;
const TOKEN = new RegExp(`${DROPPED}|((?:&&|\\|[|&]?)\\s*|;+|&|\\n|\\$?\\(|\\)|\`)|(${WORD})|[^]`, "g");
const QUOTED = /'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\([^])/g;
const BEFORE = /^(?:\w+=[^]*|if|then|else|elif|do|while|until|!|\{|time)$/;
const WRAPPER = /^(?:sudo|doas|env|nice|nohup|timeout|xargs|command|exec|stdbuf|setsid|find|parallel)$/;
const RUNS = /^(?:git|(?:ba|da|z|k)?sh)$/;
const CHANGES = /^(?:commit|merge|rebase|cherry-pick|revert|am|pull|push)$/;
const VALUED = /^(?:-[oxsXmF]|--(?:push-option|receive-pack|exec|onto|strategy|strategy-option))$/;
const UNKNOWN = "a branch that can't be told";
const isHarmless = (word: string) => /^--(?:abort|quit|dry-run|help)$/.test(word);
const isPlain = (word: string) => !/^-./.test(word);
type Guarded = (name?: string) => boolean;

/** Its simple commands: what stands before each, and its words. */
function commandsOf(script: string): { joint: string; words: string[] }[] {
  const commands = [{ joint: "", words: [] as string[] }];
  for (const [, joint, word] of withoutDocuments(script).matchAll(TOKEN)) {
    if (joint !== undefined) commands.push({ joint: joint.trim(), words: [] });
    else if (word) commands.at(-1)!.words.push(word.replace(QUOTED, (_, a, b, c) => a ?? b ?? c));
  }
  return commands;
}

function withoutDocuments(script: string): string {
  const lines = script.split("\n"), ends = new Set(lines.map((line) => line.trim()));
  let end: string | undefined;
  return lines.filter((line) => {
    const inside = end !== undefined, mark = /(?<!<)<<-?\s*(["']?)(\w+)\1/.exec(line)?.[2] ?? " ";
    end = inside ? (line.trim() === end ? undefined : end) : ends.has(mark) ? mark : undefined;
    return !inside;
  }).join("\n");
}

/** A folder as a script names it; `undefined` where only running the script would tell. */
function folderOf(base: string | undefined, name = "~"): string | undefined {
  if (base === undefined || base.length > 4096 || /[$`*?]|^-$/.test(name)) return undefined;
  return resolve(base, name.replace(/^~(?=\/|$)/, homedir()));
}

/** The branch that is checked out; `undefined` outside a repository and on no branch. */
function branchOf(folder: string): string | undefined {
  const git = join(folder, ".git"), kind = statSync(git, { throwIfNoEntry: false });
  if (!kind) return folder === dirname(folder) ? undefined : branchOf(dirname(folder));
  // A worktree's is a file that says where. One that is neither throws, which refuses the call.
  const place = kind.isFile() ? readFileSync(git, "utf8").replace(/^gitdir: |\n$/g, "") : ".git";
  const head = resolve(folder, place, "HEAD");
  const text = statSync(head).isFile() ? readFileSync(head, "utf8") : "";
  // What keeps its branches otherwise says so by this name.
  return /^ref: refs\/heads\/(.+)/.exec(text)?.[1]?.replace(/^\.invalid$/, UNKNOWN);
}

/** What a script would do to a protected branch. */
function offence(script: string, cwd: string | undefined, guarded: Guarded): string | undefined {
  const outer: (string | undefined)[] = [];
  let folder = cwd, switched: string | undefined;
  for (const { joint, words } of commandsOf(script)) {
    if (joint.endsWith("(")) outer.push(folder);
    if (joint === ")" && outer.length > 0) folder = outer.pop();
    if (joint !== "&&" && !guarded(switched)) switched = undefined;
    let at = words.findIndex((word) => !BEFORE.test(word));
    if (WRAPPER.test(basename(words[at] ?? ""))) at = words.findIndex((word) => RUNS.test(basename(word)));
    const program = basename(words[at] ?? ""), rest = words.slice(at + 1);
    if (program === "cd" || program === "pushd") folder = folderOf(folder, rest.find(isPlain));
    const inner = RUNS.test(program) && rest[rest.findIndex((word) => /^-\w*c$/.test(word)) + 1];
    const found = program !== "git" && inner && offence(inner, folder, guarded);
    if (found) return found;
    if (program !== "git") continue;
    let here = folder, elsewhere = words.slice(0, at).some((word) => word.startsWith("GIT_DIR="));
    for (; rest[0]?.startsWith("-"); rest.shift()) {
      elsewhere ||= rest[0].startsWith("--git-dir");
      if (rest[0] === "-C") here = folderOf(here, rest[1]);
      if (/^(?:-[Cc]|--(?:git-dir|work-tree|namespace))$/.test(rest[0])) rest.shift();
    }
    const [verb = "", ...args] = rest;
    const plain = args.filter((word, i) => isPlain(word) && !VALUED.test(args[i - 1] ?? ""));
    const made = args.findIndex((word) => /^(?:-[bBcC]|--create|--orphan)$/.test(word)) + 1;
    const name = made > 0 ? args[made] : plain[0];
    // What checkout is given may be a file's name.
    if (verb === "switch" || (verb === "checkout" && (made > 0 || guarded(name)))) switched = name;
    if (!CHANGES.test(verb) || args.some(isHarmless) || rest.join(" ") === "pull --ff-only") continue;
    const branch = elsewhere || here === undefined ? UNKNOWN : switched ?? branchOf(here);
    const all = verb === "push" && args.some((word) => /^--(?:all|branches|mirror)$/.test(word));
    const named = all ? ["*"] : /^(?:push|rebase)$/.test(verb) ? plain.slice(1) : [];
    const targets = named.map((name) => name.replace(/^[^]*:|^\+/, "").replace(/^refs\/heads\//, ""))
      .map((name) => /^(?:HEAD|@)?$|\$/.test(name) ? branch : name);
    const hit = (targets.length > 0 ? targets : [branch]).find(guarded);
    if (hit !== undefined) return `git ${verb} on ${hit}`;
  }
}

export default definePlugin<{ branches?: string[] }>({
  name: "protect-main",
  uses: ["permission"], // Asked when a call is final: whatever other plugins and hooks made of it.
  setup(agent, { branches = ["main", "master"] }) {
    if (!Array.isArray(branches)) throw new Error("the option branches is not a list of names");
    const guarded = (name = "") => [UNKNOWN, "-", ...branches].includes(name) || name.includes("*");
    const next = "git switch -c NAME first, push that branch by name, and open a pull request";
    agent.on("permission", ({ cwd, traits }) => {
      const found = (traits?.subjects ?? []).filter(({ kind }) => kind === "command")
        .map((one) => offence(one.value, one.cwd ?? cwd, guarded)).find((what) => what !== undefined);
      return found === undefined ? undefined : { deny: `protect-main: ${found} is refused; ${next}` };
    });
  },
});
