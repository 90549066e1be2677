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
  { name: "trust-project", about: "take the repository's settings, hooks and plugins for this run" },
];

/** Flags that a call can't have which a daemon runs: it has what settings name. */
export const DETACHED_HAS_NOT: readonly string[] = ["plugins", "hooks"];

const SURFACE: readonly Flag[] = [
  { name: "toolset", value: "NAME", choices: Object.keys(TOOLSETS), about: "the tools of a model family" },
  { name: "model", value: "HANDLE", about: "choose the toolset by model, e.g. openai/gpt-5" },
  { name: "tools", value: "A,B", about: "these tools alone, from all there are" },
];

/** What the hooks of an event may come to, for `hooks test`. */
const EXPECTED = ["allow", "ask", "deny", "block", "rewrite", "context", "failure", "none"];

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
      { name: "wait", value: "SECONDS", about: "wait so long for output (default 5, 300 at most)" },
      { name: "follow", about: "print what comes until its end, and end as it did" },
      ...KEPT,
    ],
    examples: [
      { line: "agent sessions poll 1", about: "what came since the last time" },
      { line: "agent sessions poll 1 --follow", about: "and what comes; Ctrl-C leaves it running" },
    ],
    load: loadSessionsCall,
  },
  {
    name: "sessions wait",
    about: "wait for a session's end, or for its output",
    args: "ID",
    most: 1,
    flags: [
      { name: "for", value: "SECONDS", about: "at most so long (default 30, 600 at most)" },
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
    about: "end sessions with all that they started",
    args: "ID...",
    flags: [{ name: "all", about: "all that run" }, ...KEPT],
    examples: [
      { line: "agent sessions kill 1", about: "and print its last output" },
      { line: "agent sessions kill --all", about: "those of all folders" },
    ],
    load: () => import("./commands/sessions_kill.ts"),
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
  hooks: "command hooks: in their order; asked about a call that isn't run",
  config: "settings and who set them; the folders that are used",
  log: "logged calls",
  secrets: "values that results never show",
  sessions: "commands that run on in the background",
  trust: "what a repository brings: look at it, trust it",
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
      {
        name: "explain",
        about: "tell on standard error what was done to each call, by whom, and how long it took",
      },
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
    flags: [
      JSON_FLAG,
      {
        name: "timing",
        about: "time each took to load, and its handlers in the newest session that has any",
      },
      { name: "watch", about: "load them again whenever one of their files changes, until Ctrl-C" },
      ...RUNTIME,
    ],
    examples: [
      { line: "agent mods list --plugins ./plugins", about: "the plugins of a folder" },
      { line: "agent mods list --watch --plugins ./mine", about: "while you write one" },
    ],
    load: () => import("./commands/mods.ts"),
  },
  {
    name: "mods add",
    about: "install a plugin into the user's folder, from npm, a folder or a tarball",
    args: "NAME|FOLDER",
    most: 1,
    flags: [{ name: "yes", about: "don't ask" }],
    examples: [
      { line: "agent mods add ./my-plugin", about: "shows what it may use, and asks" },
      {
        line: "agent mods add agent-plugin-x@1.2.0 --yes",
        about: "without install scripts, in that version",
      },
    ],
    load: () => import("./commands/mods_add.ts"),
  },
  {
    name: "mods remove",
    about: "remove a plugin that mods add installed",
    args: "NAME",
    most: 1,
    flags: [],
    examples: [{ line: "agent mods remove my-plugin", about: "its storage stays" }],
    load: () => import("./commands/mods_remove.ts"),
  },
  {
    name: "mods new",
    about: "make a plugin that runs at once, with types and a test",
    args: "NAME",
    most: 1,
    flags: [{ name: "dir", value: "DIR", about: "in DIR, not in the folder of your plugins" }],
    examples: [{ line: "agent mods new my-plugin --dir .", about: "./my-plugin" }],
    load: () => import("./commands/mods_new.ts"),
  },
  {
    name: "mods check",
    about: "check plugins without a call: types, names, what they use and shadow",
    args: "PATH",
    most: 1,
    flags: [JSON_FLAG],
    examples: [{ line: "agent mods check ./my-plugin", about: "exit code 1 where something is wrong" }],
    load: () => import("./commands/mods_check.ts"),
  },
  {
    name: "mods test",
    about: "send recorded calls through a plugin, while no tool is run",
    args: "PLUGIN [CALLS]",
    most: 2,
    flags: [JSON_FLAG],
    examples: [
      {
        line: "agent mods test ./guard.ts calls.jsonl",
        about: "what it refuses, changes, answers; 1 if not as expected",
      },
      { line: "agent log export | agent mods test guard -", about: "the calls of the newest session" },
    ],
    load: () => import("./commands/mods_test.ts"),
  },
  {
    name: "replay",
    about: "make logged calls again, with the plugins, hooks and rules of today",
    args: "[LOG]",
    most: 1,
    flags: [
      JSON_FLAG,
      { name: "run", about: "run the tools, in a copy of the folder; commands can reach what is outside it" },
      ...RUNTIME,
    ],
    examples: [
      {
        line: "agent replay",
        about: "the newest session: what would differ now, and exit code 1 if anything does",
      },
      { line: "agent replay calls.jsonl --plugins ./plugins --json", about: "for CI" },
    ],
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "x",
    about: "run a command of a plugin's, or list them",
    args: "[NAME] [ARGS...]",
    passesOn: true,
    flags: RUNTIME,
    examples: [
      { line: "agent x", about: "what there is" },
      { line: "agent x report --since monday", about: "what stands behind the name is the command's own" },
    ],
    load: () => import("./commands/x.ts"),
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
    name: "hooks test",
    about: "ask the hooks of an event about a call that isn't run",
    args: "EVENT",
    most: 1,
    flags: [
      { name: "tool", value: "NAME", about: "the tool of the call" },
      { name: "args", value: "JSON", about: "its arguments" },
      { name: "response", value: "JSON", about: "what it gave, for PostToolUse" },
      { name: "error", value: "TEXT", about: "its error, for PostToolUseFailure" },
      { name: "fields", value: "JSON", about: 'what other events tell, e.g. {"prompt": "hi"}' },
      { name: "script", value: "CMD", about: "this hook, in place of those that are configured" },
      {
        name: "expect",
        value: "WORD",
        choices: EXPECTED,
        about: "exit code 1 unless this is what it comes to",
      },
      JSON_FLAG,
      ...RUNTIME,
    ],
    examples: [
      {
        line: 'agent hooks test PreToolUse --tool Bash --args \'{"command": "rm -rf /"}\' --expect deny',
        about: "what all that match say, and exit code 1 if it isn't a no",
      },
      {
        line: 'agent hooks test PreToolUse --tool Read --args \'{"file_path": ".env"}\' --script ./guard.py',
        about: "a script that is configured nowhere yet",
      },
    ],
    load: () => import("./commands/hooks_test.ts"),
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
    name: "log explain",
    about: "tell what was done to a logged call, by whom, and how long it took",
    args: "ID",
    most: 1,
    flags: [],
    examples: [{ line: "agent log explain call_1a2b", about: "rules, plugins, hooks, what was cut" }],
    load: () => import("./commands/log_explain.ts"),
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
  {
    name: "trust",
    about: "show what this folder's repository brings, and trust it",
    args: "[DIR]",
    most: 1,
    flags: [
      { name: "user", about: "your own plugins and hooks instead, after a change" },
      { name: "yes", about: "trust it without asking" },
      JSON_FLAG,
    ],
    examples: [
      { line: "agent trust", about: "settings, hooks, plugins with what they use, hashes; then it asks" },
      { line: "agent trust --user", about: "what changed in your own, since it was last trusted" },
    ],
    load: () => import("./commands/trust.ts"),
  },
  {
    name: "trust list",
    about: "list what is trusted",
    most: 0,
    flags: [JSON_FLAG],
    examples: [{ line: "agent trust list", about: "with hashes and times" }],
    load: () => import("./commands/trust_list.ts"),
  },
  {
    name: "trust remove",
    about: "trust a repository no longer",
    args: "[DIR]",
    most: 1,
    flags: [JSON_FLAG],
    examples: [{ line: "agent trust remove", about: "this folder's" }],
    load: () => import("./commands/trust_remove.ts"),
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
