/** All commands, declared. A command's code is loaded when it is run. */
import type { Command } from "./command.ts";
import { EXEC } from "./declared/exec.ts";
import { JSON_FLAG, RUNTIME, SURFACE } from "./declared/flags.ts";
import { MODS } from "./declared/mods.ts";
import { SESSIONS } from "./declared/sessions.ts";
import { STATE } from "./declared/state.ts";

/** What the commands with two words are about, for the overview. */
export const NOUNS: Readonly<Record<string, string>> = {
  mods: "plugins: state, tools, events, what they may use",
  hooks: "command hooks: in their order; asked about a call that isn't run",
  config: "settings and who set them; the folders that are used",
  log: "logged calls",
  secrets: "values that results never show",
  sessions: "commands that run on in the background",
  trust: "what a repository brings: look at it, trust it",
};

export const COMMANDS: readonly Command[] = [
  EXEC,
  {
    name: "tools",
    about: "show the tools that a model sees",
    most: 0,
    flags: [
      { name: "json", about: "print them as the provider's request carries them" },
      { name: "cost", about: "bytes of each, in all, and the hash" },
      ...SURFACE,
      ...RUNTIME,
    ],
    examples: [
      { line: "agent tools --model openai/gpt-5 --json", about: "what a Codex model is shown" },
      { line: "agent tools --cost", about: "what they cost in each request" },
    ],
    load: () => import("./commands/tools.ts"),
  },
  ...MODS,
  ...STATE,
  ...SESSIONS,
  {
    name: "schema",
    about: "print the JSON Schemas of events, or of one tool's arguments",
    args: "[TOOL]",
    takesTool: true,
    most: 1,
    flags: [...SURFACE, ...RUNTIME],
    examples: [{ line: "agent schema Read", about: "the arguments of a tool" }],
    load: () => import("./commands/schema.ts"),
  },
  {
    name: "doctor",
    about: "check that everything needed is there",
    most: 0,
    flags: [JSON_FLAG, ...RUNTIME],
    examples: [{ line: "agent doctor", about: "what works and what doesn't" }],
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "completions",
    about: "print the completion script for a shell",
    args: "SHELL",
    most: 1,
    flags: [],
    examples: [{ line: "source <(agent completions bash)", about: "bash, zsh, fish or powershell" }],
    load: () => import("./commands/completions.ts"),
  },
  {
    name: "complete",
    about: "answer a completion script",
    args: "-- WORDS...",
    flags: [],
    examples: [],
    hidden: true,
    load: () => import("./commands/complete.ts"),
  },
];
