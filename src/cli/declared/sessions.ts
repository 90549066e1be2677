/** Commands about sessions that run on in the background. */
import type { Command, Flag } from "../command.ts";
import { DETACHED_HAS_NOT, RUNTIME } from "./flags.ts";

const loadSessionsCall = () => import("../commands/sessions_call.ts");

/** Flags of commands whose call may be the daemon's. */
const KEPT: readonly Flag[] = [
  { name: "json", about: "print the whole result as one JSON object" },
  ...RUNTIME.filter(({ name }) => !DETACHED_HAS_NOT.includes(name)),
];

export const SESSIONS: readonly Command[] = [
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
    load: () => import("../commands/sessions_kill.ts"),
  },
  {
    name: "sessions stop",
    about: "end the daemon and all its sessions",
    most: 0,
    flags: [],
    examples: [{ line: "agent sessions stop", about: "it would end by itself once it has nothing to do" }],
    load: () => import("../commands/sessions_stop.ts"),
  },
  {
    name: "sessions serve",
    about: "be the daemon that keeps sessions",
    most: 0,
    flags: [],
    examples: [{ line: "agent sessions serve", about: "exec --detach starts one where there is none" }],
    load: () => import("../commands/sessions_serve.ts"),
  },
];
