/** All commands, declared. A command's code is loaded when it is run. */
import { MODES } from "../core/permission.ts";
import { OUTCOMES } from "../core/result.ts";
import { TOOLSETS } from "../tools/toolsets.ts";
import type { Command, Flag } from "./command.ts";

/** Flags that every command takes. */
export const COMMON: readonly Flag[] = [
  { name: "directory", short: "C", value: "DIR", about: "run as if started in DIR" },
  {
    name: "color",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    about: "colour",
  },
  { name: "no-input", about: "never ask; what would be asked is a no" },
  { name: "debug", about: "show stacks of errors" },
  { name: "help", short: "h", about: "-h for short help, --help for all of it" },
];

/** Flags of commands that build a runtime. */
const RUNTIME: readonly Flag[] = [
  { name: "plugins", value: "DIR", about: "load plugins from DIR" },
  { name: "no-mods", about: "load no plugins" },
  { name: "hooks", value: "FILE", about: "load command hooks from FILE" },
  { name: "allow", value: "RULE", about: "allow calls, e.g. 'Bash(make *)'" },
  { name: "ask", value: "RULE", about: "ask before these calls" },
  { name: "deny", value: "RULE", about: "refuse these calls" },
  { name: "mode", value: "MODE", choices: MODES, about: "what holds without a rule" },
  { name: "session", value: "NAME", about: "join the session NAME" },
];

/** Flags that a call can't have which a daemon runs: it has what settings name. */
export const DETACHED_HAS_NOT: readonly string[] = ["plugins", "hooks"];

const SURFACE: readonly Flag[] = [
  { name: "toolset", value: "NAME", choices: Object.keys(TOOLSETS), about: "the tools of a model family" },
  { name: "model", value: "HANDLE", about: "choose the toolset by model, e.g. openai/gpt-5" },
  { name: "tools", value: "A,B", about: "these tools alone, from all there are" },
];

const JSON_FLAG: Flag = { name: "json", about: "print JSON" };

const loadSessionsCall = () => import("./commands/sessions_call.ts");

/** Flags of commands whose call may be the daemon's. */
const KEPT: readonly Flag[] = [
  { name: "json", about: "print the whole result as one JSON object" },
  ...RUNTIME.filter(({ name }) => !DETACHED_HAS_NOT.includes(name)),
];

const SESSIONS: readonly Command[] = [
  {
    name: "sessions list",
    about: "list background sessions that a daemon keeps",
    most: 0,
    flags: KEPT,
    examples: [{ line: "agent sessions list", about: "those of all folders" }],
    load: loadSessionsCall,
  },
  {
    name: "sessions poll",
    about: "print a session's new output",
    args: "ID",
    most: 1,
    flags: [
      { name: "peek", about: "keep it as new" },
      { name: "filter", value: "REGEX", about: "only lines that it fits" },
      { name: "wait", value: "SECONDS", about: "wait so long for output (default 5)" },
      ...KEPT,
    ],
    examples: [{ line: "agent sessions poll 1", about: "what came since the last time" }],
    load: loadSessionsCall,
  },
  {
    name: "sessions wait",
    about: "wait for a session's end, or for its output",
    args: "ID",
    most: 1,
    flags: [
      { name: "for", value: "SECONDS", about: "at most so long (default 30)" },
      { name: "until", value: "REGEX", about: "until a line of new output fits it" },
      ...KEPT,
    ],
    examples: [{ line: "agent sessions wait 1 --until 'listening on'", about: "until a server is there" }],
    load: loadSessionsCall,
  },
  {
    name: "sessions write",
    about: "write a line to a session's program",
    args: "ID [TEXT]",
    most: 2,
    flags: [
      { name: "raw", about: "TEXT as it is, without an end of line" },
      { name: "key", value: "KEY", about: "press KEY after it, e.g. ctrl-c" },
      ...KEPT,
    ],
    examples: [{ line: "agent sessions write 1 yes", about: "the line yes" }],
    load: loadSessionsCall,
  },
  {
    name: "sessions kill",
    about: "end a session with all that it started",
    args: "ID",
    most: 1,
    flags: KEPT,
    examples: [{ line: "agent sessions kill 1", about: "and print its last output" }],
    load: loadSessionsCall,
  },
  {
    name: "sessions stop",
    about: "end the daemon and all its sessions",
    most: 0,
    flags: [],
    examples: [{ line: "agent sessions stop", about: "it would end by itself once it has nothing to do" }],
    load: () => import("./commands/sessions_stop.ts"),
  },
  {
    name: "sessions serve",
    about: "be the daemon that keeps sessions",
    most: 0,
    flags: [],
    examples: [{ line: "agent sessions serve", about: "exec --detach starts one where there is none" }],
    load: () => import("./commands/sessions_serve.ts"),
  },
];

/** What the commands with two words are about, for the overview. */
export const NOUNS: Readonly<Record<string, string>> = {
  mods: "plugins: state, tools, events, what they may use",
  hooks: "command hooks in the order in which they count",
  config: "settings and who set them; the folders that are used",
  log: "logged calls",
  secrets: "values that results never show",
  sessions: "commands that run on in the background",
};

export const COMMANDS: readonly Command[] = [
  {
    name: "exec",
    about: "run one tool call, or calls from standard input",
    args: "[TOOL] [ARGS...]",
    takesTool: true,
    flags: [
      { name: "json", about: "print the whole result as one JSON object" },
      { name: "jsonl", about: "print events as they happen, one JSON object a line" },
      { name: "plain", about: "with calls from standard input: print texts, failures to standard error" },
      { name: "full", about: "do not cut the event stream" },
      { name: "timeout", value: "SECONDS", about: "end a call after SECONDS" },
      { name: "concurrency", value: "N", about: "calls at once, from standard input (default 64)" },
      { name: "unordered", about: "print results as they come" },
      {
        name: "dialect",
        value: "NAME",
        choices: ["agent", "anthropic", "openai"],
        about: "the form that calls must have",
      },
      { name: "dry-run", about: "every step but the running" },
      { name: "exit-status", about: "print and end as the command itself did" },
      { name: "detach", about: "keep what it leaves running; agent sessions looks after that" },
      ...SURFACE,
      ...RUNTIME,
    ],
    examples: [
      { line: "agent exec Read file_path=README.md limit=20", about: "arguments as key=value" },
      { line: 'agent exec Bash \'{"command": "make test"}\'', about: "arguments as JSON" },
      { line: "agent exec Write file_path=notes.md content=@draft.md", about: "a value from a file" },
      { line: "agent exec - < calls.jsonl", about: "many calls, one a line, results in order" },
      {
        line: "agent exec --detach Bash command='npm run dev' run_in_background=true",
        about: "goes on when this has ended: agent sessions poll 1",
      },
    ],
    load: () => import("./commands/exec.ts"),
  },
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
  {
    name: "mods list",
    about: "show plugins: state, tools, events, what they may use",
    most: 0,
    flags: [JSON_FLAG, { name: "timing", about: "time each took to load" }, ...RUNTIME],
    examples: [{ line: "agent mods list --plugins ./plugins", about: "the plugins of a folder" }],
    load: () => import("./commands/mods.ts"),
  },
  {
    name: "hooks list",
    about: "show command hooks in the order in which they count",
    most: 0,
    flags: [JSON_FLAG, ...RUNTIME],
    examples: [{ line: "agent hooks list --hooks hooks.json", about: "the hooks of a file" }],
    load: () => import("./commands/hooks.ts"),
  },
  {
    name: "config list",
    about: "show all settings",
    most: 0,
    flags: [JSON_FLAG, { name: "origin", about: "where each value comes from" }, ...RUNTIME],
    examples: [{ line: "agent config list --origin", about: "who set what" }],
    load: () => import("./commands/config_list.ts"),
  },
  {
    name: "config path",
    about: "show the folders that are used",
    most: 0,
    flags: [JSON_FLAG],
    examples: [{ line: "agent config path", about: "settings, log, cache and the rest" }],
    load: () => import("./commands/config_path.ts"),
  },
  {
    name: "log list",
    about: "list logged calls, newest last",
    most: 0,
    flags: [
      JSON_FLAG,
      { name: "limit", value: "N", about: "the last N calls (default 50)" },
      { name: "session", value: "NAME", about: "those of one session" },
      {
        name: "outcome",
        value: "OUTCOME",
        choices: [...OUTCOMES, "unfinished"],
        about: "those that ended so",
      },
    ],
    examples: [
      { line: "agent log list --limit 10", about: "the last ten calls" },
      { line: "agent log list --outcome denied", about: "what was refused" },
    ],
    load: () => import("./commands/log_list.ts"),
  },
  {
    name: "log show",
    about: "show one logged call",
    args: "ID",
    most: 1,
    flags: [JSON_FLAG],
    examples: [{ line: "agent log show call_1a2b", about: "the start of an id will do" }],
    load: () => import("./commands/log_show.ts"),
  },
  {
    name: "log export",
    about: "print a session's events as JSONL",
    args: "[SESSION]",
    most: 1,
    flags: [],
    examples: [{ line: "agent log export > calls.jsonl", about: "the newest session" }],
    load: () => import("./commands/log_export.ts"),
  },
  {
    name: "undo",
    about: "take back what a call did to files",
    args: "[CALL]",
    most: 1,
    flags: [
      JSON_FLAG,
      { name: "list", about: "list calls that changed files, newest last, instead" },
      { name: "all", about: "list those of all folders, not of this one" },
      { name: "limit", value: "N", about: "list the last N (default 50)" },
      { name: "force", about: "also where a file has changed since" },
    ],
    examples: [
      { line: "agent undo", about: "the last call that changed a file here" },
      { line: "agent undo --list", about: "A added, M changed, D deleted, ! can't be had back" },
      { line: "agent undo call_1a2b", about: "the start of an id will do" },
    ],
    load: () => import("./commands/undo.ts"),
  },
  {
    name: "secrets set",
    about: "store a secret, from standard input or typed unseen",
    args: "NAME",
    flags: [],
    examples: [
      { line: "agent secrets set DEPLOY_KEY < key.pem", about: "all of the file but one last newline" },
      { line: "agent secrets set API_TOKEN", about: "asks on the terminal, without showing it" },
    ],
    load: () => import("./commands/secrets_set.ts"),
  },
  {
    name: "secrets list",
    about: "list the names of the secrets that are known, never a value",
    most: 0,
    flags: [JSON_FLAG],
    examples: [{ line: "agent secrets list", about: "and where each is from" }],
    load: () => import("./commands/secrets_list.ts"),
  },
  {
    name: "secrets remove",
    about: "remove a stored secret",
    args: "NAME",
    most: 1,
    flags: [],
    examples: [{ line: "agent secrets remove API_TOKEN", about: "take it out of secrets.env" }],
    load: () => import("./commands/secrets_remove.ts"),
  },
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
