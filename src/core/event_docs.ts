/**
 * What docs/events.md says of each event, beside the table that it is about. The compiler checks it against that table:
 * an event, a field or an answer that isn't described here, or isn't there any more, doesn't compile. Nothing but
 * scripts/generate.ts loads it.
 */
import { OUTCOMES } from "./result.ts";
import type { EventName, Events, ModCall, ModResult } from "./events.ts";

/** A type's name where it has a plain one; what others are called is for whoever writes it. */
type TypeName<T> = [T] extends [string] ? (string extends T ? "string" : string)
  : [T] extends [number] ? "number"
  : [T] extends [boolean] ? "boolean"
  : string;

/** Each field's type, with `?` where it may be absent, and what it is. */
export type FieldDocs<T> = {
  readonly [K in keyof T]-?: readonly [
    type: undefined extends T[K] ? `${TypeName<Exclude<T[K], undefined>>}?` : TypeName<T[K]>,
    about: string,
  ];
};

/** A part of the payload: the call, a result, or an object (or a list of them) with fields of its own. */
type PartDocs<T> = T extends ModCall ? "call"
  : T extends ModResult ? "result"
  : T extends readonly (infer One)[] ? { readonly name: string; readonly each: FieldDocs<One> }
  : { readonly name: string; readonly fields: FieldDocs<T> };

type PayloadDocs<Args extends readonly unknown[]> = { readonly [I in keyof Args]: PartDocs<Args[I]> };

type AnswerNames<Answer> = Answer extends unknown ? keyof Answer : never;

export interface EventDocs<E extends EventName> {
  readonly about: string;
  readonly payload: PayloadDocs<Events[E]["args"]>;
  readonly answers: { readonly [K in AnswerNames<Events[E]["answer"]>]: string };
}

export const EVENT_DOCS: { readonly [E in EventName]: EventDocs<E> } = {
  tool_start: {
    about: "A call whose name and arguments are right, before hooks and permission look at it. " +
      "The first answer with `result` or `deny` ends the chain; `args` go on to the next handler.",
    payload: ["call"],
    answers: {
      args:
        "new arguments in the canonical form: all of them, not only what differs. They are checked by the " +
        "tool's schema, and deny rules, hooks and permission judge them as they would the model's",
      result: "text, blocks, or an object with `content` and `status`: the call is answered and nothing runs",
      deny: "why the call is refused; the model reads it, so say what to do instead",
    },
  },
  permission: {
    about:
      "The final call, after all rewriting, when rules and mode are asked. It may come more than once: where " +
      "an earlier call has gone to another folder, this one is judged anew.",
    payload: ["call"],
    answers: { deny: "why the call is refused, whatever rules and modes allow" },
  },
  tool_output: {
    about: "A piece of what a running call prints, secrets redacted. The call doesn't wait for the handler.",
    payload: ["call", {
      name: "output",
      fields: {
        stream: ["`stdout` or `stderr`", "where it was printed"],
        text: ["string", "as it came; not cut at lines"],
      },
    }],
    answers: {},
  },
  tool_end: {
    about:
      "A call and its result, whatever became of it: also calls that were refused, malformed or unknown. " +
      "After PostToolUse hooks, before the last redaction and cut. The call still holds what it works on: no other " +
      "call changes its files meanwhile.",
    payload: ["call", "result"],
    answers: {
      result:
        "text, blocks, or an object with `content`, which stands in the result's place. Status and exit code stay " +
        "where it doesn't say them; streams and `structured` are gone, since they may hold what was taken out. " +
        "`tool_output` events had left before",
    },
  },
  surface: {
    about: "The tools that a model is about to be shown, when a turn is prepared.",
    payload: [{
      name: "tools",
      each: { name: ["string", "as the model sees it"], description: ["string", "as the model reads it"] },
    }],
    answers: {
      hide: "names of tools that are not shown",
      describe: "new descriptions, by name",
    },
  },
  session_start: {
    about: "The session has started; all plugins are set up.",
    payload: [{
      name: "session",
      fields: {
        id: ["string", "the session's id or name"],
        cwd: ["string", "the folder that it works in"],
        source: ["string", "`startup`"],
      },
    }],
    answers: {},
  },
  session_end: {
    about: "The session ends; plugins are disposed after it.",
    payload: [{
      name: "session",
      fields: { id: ["string", "the session's id or name"], reason: ["string", "why it ends; `exit`"] },
    }],
    answers: {},
  },
  turn_start: {
    about: "A turn was prepared: what a model is shown, and what its calls will run.",
    payload: [{
      name: "turn",
      fields: {
        id: ["string", "the turn's id"],
        family: ["string", "whose names the tools have: `claude`, `codex`, `gemini` …"],
        toolset: ["string", "the tools that are shown"],
      },
    }],
    answers: {},
  },
  turn_end: {
    about: "A turn was released.",
    payload: [{ name: "turn", fields: { id: ["string", "the turn's id"] } }],
    answers: {},
  },
  notice: {
    about: "Something to know that belongs to no call: a background session ended, a hook failed.",
    payload: [{
      name: "notice",
      fields: { source: ["string", "who says it"], text: ["string", "what, secrets redacted"] },
    }],
    answers: {},
  },
};

/** The call as every handler of a call gets it. */
export const CALL_DOCS: FieldDocs<ModCall> = {
  id: ["string", "the call's id; the model's where it gave one"],
  parent: ["string?", "the id of the call that made this one"],
  name: ["string", "the name as the model called it (`Bash`, `run_shell_command`)"],
  tool: ["string", "the canonical name (`shell`), the same for each family; empty for an unknown tool"],
  args: [
    "object",
    "the arguments in the canonical form (`path`, whether the model wrote `file_path` or not); frozen",
  ],
  face: ["{ args }", "the arguments as the model wrote them"],
  traits: [
    "Traits?",
    "what this call does: `effect` (`read`, `write` or `run`), `subjects` (the real paths, commands and addresses " +
    "that it touches), `keys` (absent: it may touch anything); absent for calls that were unknown or malformed",
  ],
  family: ["string?", "whose name it was called by"],
  cwd: ["string", "the folder that relative paths are taken from"],
  dryRun: ["boolean", "it will stop before it runs"],
  touches: [
    "(glob) => boolean",
    "true where it reads or writes a path that the glob matches, and for a call that may touch anything",
  ],
};

/** A result as handlers get it. */
export const RESULT_DOCS: FieldDocs<ModResult> = {
  id: ["string", "the call's id"],
  name: ["string", "the name as the model called it"],
  tool: ["string?", "the canonical name"],
  outcome: ["string", `${OUTCOMES.map((one) => `\`${one}\``).join(", ")}; \`answered\` is a plugin's doing`],
  status: ["`success` or `error`", "what the model is told"],
  text: ["string", "the text of all blocks in one piece; images are named in brackets"],
  content: ["Block[]", 'text and images: `{ type: "text", text }`, `{ type: "image", mediaType, data }`'],
  stdout: ["string[]?", "what a command printed"],
  stderr: ["string[]?", "and what it complained of"],
  exitCode: ["number?", "a command's"],
  overflow: ["string?", "the file that holds what was cut"],
  overflowCutAt: ["number?", "bytes that this file holds, where it was cut too"],
  structured: ["any JSON?", "the tool's data for programs"],
  rewritten: ["{ args, by }?", "what ran, where plugins or hooks changed the arguments, and who did"],
  durationMs: ["number", "from the call's start, waiting included"],
  at: ["string", "when it ended: local time, ISO 8601 with offset"],
  weekday: ["string", "`Mon` …"],
};
