/**
 * The wire format as a table: what a hook is sent and finds in its environment, how it ends and what it prints, and
 * what happens then. Each row is a real `agent` with a real script.
 */
import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, quoted } from "./hook_scripts.ts";

interface Row {
  event: string;
  name: string;
  /** Fields that are in its standard input. `FILE` stands for the real path of a.txt, `WORK` for the folder's. */
  stdin?: Json;
  /** Variables that it has. */
  env?: Record<string, string>;
  /** How it ends: an exit code, or a signal's name. */
  end?: number | string;
  stdout?: string | Json;
  stderr?: string;
  /** Fields of its configuration. */
  has?: Json;
  matcher?: string;
  /** The call; a Read of a.txt where absent. */
  call?: { name: string; args: Json };
  flags?: string[];
  happens: {
    /** The call's outcome; "success" where absent. */
    outcome?: string;
    /** In the result. */
    text?: RegExp;
    notText?: RegExp;
    /** On standard error; nothing at all is there where absent. */
    told?: RegExp;
    /** It isn't asked at all. */
    silent?: true;
    /** For events that aren't a call's: what `hooks test` says that it comes to. */
    comesTo?: string[];
    words?: RegExp;
  };
}

const READ = { name: "Read", args: { file_path: "a.txt" } };
const ECHO = { name: "Bash", args: { command: "echo plain" } };
const WRITE = { name: "Write", args: { file_path: "new.txt", content: "x" } };
const FAILING = { name: "Bash", args: { command: "echo lost >&2; exit 3" } };
const inPre = (specific: Json) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...specific } });
const inPost = (specific: Json) => ({ hookSpecificOutput: { hookEventName: "PostToolUse", ...specific } });
const leave = (decision: Json) => ({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
const denied = (text: RegExp) => ({ outcome: "denied", text });
const failed = (told: RegExp) => ({ text: /one/, told });

const PRE: Omit<Row, "event">[] = [
  {
    name: "is sent the call in Claude's words",
    stdin: {
      hook_event_name: "PreToolUse",
      tool_name: "Read",
      tool_input: { file_path: "FILE" },
      cwd: "WORK",
    },
    happens: { text: /one/ },
  },
  { name: "is told the mode", stdin: { permission_mode: "default" }, happens: { text: /one/ } },
  {
    name: "has the project's folder under both names",
    env: { CLAUDE_PROJECT_DIR: "WORK", AGENT_PROJECT_DIR: "WORK", PWD: "WORK" },
    happens: { text: /one/ },
  },
  { name: "exit 0 without a word is no opinion", end: 0, happens: { text: /one/ } },
  {
    name: "exit 0 with plain text is no opinion, and nobody sees it",
    stdout: "checked",
    happens: { notText: /checked/ },
  },
  { name: "exit 0 with {} is no opinion", stdout: {}, happens: { text: /one/ } },
  { name: "exit 0 with words on stderr is no opinion", stderr: "debug", happens: { notText: /debug/ } },
  {
    name: "exit 2 blocks with what stderr says",
    end: 2,
    stderr: "not this file",
    happens: denied(/not this file/),
  },
  {
    name: "exit 2 without a word blocks with a sentence",
    end: 2,
    happens: denied(/a hook blocked this call/),
  },
  {
    name: "exit 2 blocks whatever stdout allows",
    end: 2,
    stdout: inPre({ permissionDecision: "allow" }),
    happens: denied(/blocked/),
  },
  {
    name: "exit 2 takes JSON's reason before stderr",
    end: 2,
    stdout: { reason: "why" },
    stderr: "x",
    happens: denied(/: why$/),
  },
  {
    name: "exit 1 is a failure, and the call goes on",
    end: 1,
    stderr: "a\nbroken",
    happens: failed(/exit code 1: broken;/),
  },
  {
    name: "exit 1 blocks where it is to",
    end: 1,
    has: { onFailure: "block" },
    happens: { ...denied(/exit code 1/), told: /the call is blocked/ },
  },
  { name: "exit 3 is a failure too", end: 3, happens: failed(/exit code 3/) },
  {
    name: "exit 1 with a clear no is a no",
    end: 1,
    stdout: { decision: "block", reason: "clear" },
    happens: denied(/clear/),
  },
  { name: "a signal is a failure", end: "KILL", happens: failed(/ended by SIGKILL/) },
  {
    name: "a signal after a clear no is a no",
    end: "TERM",
    stdout: { decision: "block", reason: "clear" },
    happens: denied(/clear/),
  },
  {
    name: "the time limit is in seconds, and a failure",
    stdout: "",
    end: "sleep",
    has: { timeout: 0.3 },
    happens: failed(/out of time/),
  },
  { name: "the old approve allows", stdout: { decision: "approve" }, call: WRITE, happens: {} },
  { name: "the old block denies", stdout: { decision: "block", reason: "old" }, happens: denied(/old/) },
  {
    name: "allow allows what the mode would ask",
    stdout: inPre({ permissionDecision: "allow" }),
    call: WRITE,
    happens: {},
  },
  {
    name: "allow doesn't override a deny rule",
    stdout: inPre({ permissionDecision: "allow" }),
    flags: ["--deny", "Read(a.txt)"],
    happens: { outcome: "denied", silent: true },
  },
  {
    name: "allow doesn't override an ask rule",
    stdout: inPre({ permissionDecision: "allow" }),
    flags: ["--ask", "Write"],
    call: WRITE,
    happens: denied(/nobody said yes/),
  },
  {
    name: "deny denies with its reason",
    stdout: inPre({ permissionDecision: "deny", permissionDecisionReason: "house rule" }),
    happens: denied(/house rule/),
  },
  {
    name: "ask needs a person",
    stdout: inPre({ permissionDecision: "ask", permissionDecisionReason: "sure?" }),
    happens: denied(/sure\?/),
  },
  {
    name: "a decision in other words is a failure",
    stdout: inPre({ permissionDecision: "no" }),
    happens: failed(/"no", not allow, deny or ask/),
  },
  {
    name: "an allow at the wrong place is a failure",
    stdout: { permissionDecision: "allow" },
    happens: failed(/belongs in hookSpecificOutput/),
  },
  {
    name: "a deny at the wrong place counts all the same",
    stdout: { permissionDecision: "deny" },
    happens: { ...denied(/hook blocked it/), told: /belongs in hookSpecificOutput; the call is blocked/ },
  },
  {
    name: "another event's answer is a failure",
    stdout: inPost({ additionalContext: "x" }),
    happens: { ...failed(/its hookEventName is "PostToolUse"/), text: /one\nx/ },
  },
  {
    name: "continue false outranks an allow",
    stdout: { continue: false, stopReason: "enough", ...inPre({ permissionDecision: "allow" }) },
    happens: denied(/enough/),
  },
  {
    name: "updatedInput replaces the whole input",
    stdout: inPre({ updatedInput: { file_path: "b.txt" } }),
    happens: { text: /two/ },
  },
  {
    name: "an updatedInput that lacks a field is refused",
    stdout: inPre({ updatedInput: {} }),
    happens: { outcome: "invalid", text: /rewritten by a PreToolUse hook/ },
  },
  { name: "updatedInput null is none", stdout: inPre({ updatedInput: null }), happens: { text: /one/ } },
  {
    name: "a rewritten input meets deny rules",
    stdout: inPre({ updatedInput: { file_path: "b.txt" } }),
    flags: ["--deny", "Read(b.txt)"],
    happens: denied(/deny rule/),
  },
  {
    name: "additionalContext stands after the result",
    stdout: inPre({ additionalContext: "mind" }),
    happens: { text: /one\nmind/ },
  },
  {
    name: "systemMessage is for the person",
    stdout: { systemMessage: "psst" },
    happens: { notText: /psst/, told: /psst/ },
  },
  { name: "suppressOutput changes nothing here", stdout: { suppressOutput: true }, happens: { text: /one/ } },
  {
    name: "unknown fields beside known ones are fine",
    stdout: { continue: true, color: "red" },
    happens: { text: /one/ },
  },
  {
    name: "only unknown fields are a failure",
    stdout: { deny: true },
    happens: failed(/no field that is known, only "deny"/),
  },
  {
    name: "a byte-order mark is dropped",
    stdout: '\uFEFF{"decision":"block","reason":"bom"}',
    happens: denied(/bom/),
  },
  {
    name: "CRLF is fine",
    stdout: '{\r\n"decision":"block",\r\n"reason":"crlf"\r\n}\r\n',
    happens: denied(/crlf/),
  },
  {
    name: "blanks before JSON are fine",
    stdout: '\n\n  {"decision":"block","reason":"late"}',
    happens: denied(/late/),
  },
  {
    name: "noise before JSON is a failure",
    stdout: 'hi\n{"decision":"block","reason":"x"}',
    happens: failed(/JSON after noise/),
  },
  { name: "half of JSON is a failure", stdout: '{"decision":', happens: failed(/JSON is malformed/) },
  { name: "a list isn't an answer", stdout: '["deny"]', happens: { text: /one/ } },
  { name: "matcher: absent means every tool", end: 2, happens: denied(/./) },
  { name: "matcher: * means every tool", matcher: "*", end: 2, happens: denied(/./) },
  { name: "matcher: an exact name", matcher: "Read", end: 2, happens: denied(/./) },
  {
    name: "matcher: a list with blanks and both signs",
    matcher: "Bash, Edit | Read",
    end: 2,
    happens: denied(/./),
  },
  { name: "matcher: an exact name is no prefix", matcher: "Rea|Bash", end: 2, happens: { silent: true } },
  { name: "matcher: an expression isn't anchored", matcher: "ea.$", end: 2, happens: denied(/./) },
  {
    name: "matcher: one that doesn't compile is told",
    matcher: "Read(",
    end: 2,
    happens: { silent: true, told: /no regular expression/ },
  },
  {
    name: "matcher: one that fits no tool is told",
    matcher: "Raed",
    end: 2,
    happens: { silent: true, told: /fits no known tool/ },
  },
  {
    name: "matcher: Claude's name guards Codex' shell",
    matcher: "Bash",
    end: 2,
    call: { name: "shell_command", args: { command: "true" } },
    happens: denied(/./),
  },
  { name: "matcher: our own name guards Claude's", matcher: "read_file", end: 2, happens: denied(/./) },
  { name: "if: a rule that fits", end: 2, has: { if: "Read(*.txt)" }, happens: denied(/./) },
  { name: "if: a rule that doesn't fit", end: 2, has: { if: "Read(*.md)" }, happens: { silent: true } },
  {
    name: "args: no shell looks at them",
    has: { args: ["-c", 'echo "$0: $1" >&2; exit 2', "a b", "$HOME"], command: "/bin/sh" },
    happens: denied(/a b: \$HOME/),
  },
  {
    name: "async: its answer comes too late to count",
    end: 2,
    has: { async: true },
    happens: { text: /one/ },
  },
];

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch";

const OTHERS: Row[] = [
  {
    event: "PreToolUse",
    name: "a patch is one call of apply_patch, and Edit matches it",
    matcher: "Edit",
    call: { name: "apply_patch", args: { input: PATCH } },
    stdin: { tool_name: "apply_patch", tool_input: { command: PATCH } },
    end: 2,
    happens: denied(/./),
  },
  {
    event: "PostToolUse",
    name: "is sent what Bash gave",
    call: ECHO,
    stdin: {
      tool_name: "Bash",
      tool_input: { command: "echo plain" },
      tool_response: { stdout: "plain\n", stderr: "", interrupted: false, isImage: false },
    },
    happens: { text: /plain/ },
  },
  {
    event: "PostToolUse",
    name: "exit 2 gives stderr to the model",
    call: ECHO,
    end: 2,
    stderr: "lint!",
    happens: { text: /plain\nlint!/ },
  },
  {
    event: "PostToolUse",
    name: "block gives its reason to the model",
    call: ECHO,
    stdout: { decision: "block", reason: "format" },
    happens: { text: /plain\nformat/ },
  },
  {
    event: "PostToolUse",
    name: "additionalContext stands after the result",
    call: ECHO,
    stdout: inPost({ additionalContext: "more" }),
    happens: { text: /plain\nmore/ },
  },
  {
    event: "PostToolUse",
    name: "updatedToolOutput stands in the result's place",
    call: ECHO,
    stdout: inPost({ updatedToolOutput: "new" }),
    happens: { text: /^new$/ },
  },
  {
    event: "PostToolUse",
    name: "plain text is nothing",
    call: ECHO,
    stdout: "done",
    happens: { text: /^plain$/ },
  },
  {
    event: "PostToolUse",
    name: "exit 1 is a failure",
    call: ECHO,
    end: 1,
    happens: { text: /plain/, told: /exit code 1/ },
  },
  {
    event: "PostToolUse",
    name: "isn't for what failed",
    call: FAILING,
    end: 2,
    happens: { outcome: "error", silent: true },
  },
  {
    event: "PostToolUseFailure",
    name: "is sent the error",
    call: FAILING,
    stdin: { tool_name: "Bash", is_interrupt: false },
    end: 2,
    stderr: "known problem",
    happens: { outcome: "error", text: /known problem/ },
  },
  {
    event: "PermissionRequest",
    name: "is sent the call without an id",
    call: WRITE,
    stdin: {
      hook_event_name: "PermissionRequest",
      tool_name: "Write",
      tool_input: { file_path: "NEW", content: "x" },
      tool_use_id: undefined,
    },
    happens: denied(/nobody said yes/),
  },
  {
    event: "PermissionRequest",
    name: "allow is the person's yes",
    call: WRITE,
    stdout: leave({ behavior: "allow" }),
    happens: {},
  },
  {
    event: "PermissionRequest",
    name: "deny is a no with its message",
    call: WRITE,
    stdout: leave({ behavior: "deny", message: "not now" }),
    happens: denied(/not now/),
  },
  {
    event: "PermissionRequest",
    name: "exit 2 is a no",
    call: WRITE,
    end: 2,
    stderr: "never",
    happens: denied(/never/),
  },
  {
    event: "PermissionRequest",
    name: "in PreToolUse's words it says nothing clear",
    call: WRITE,
    stdout: { hookSpecificOutput: { hookEventName: "PermissionRequest", permissionDecision: "allow" } },
    happens: {
      ...denied(/nobody said yes/),
      told: /permissionDecision doesn't belong in hookSpecificOutput, but in its decision/,
    },
  },
  {
    event: "PermissionRequest",
    name: "isn't asked about what is allowed",
    stdout: leave({ behavior: "deny" }),
    happens: { silent: true, text: /one/ },
  },
  {
    event: "UserPromptSubmit",
    name: "plain text is context",
    stdin: { prompt: "hi" },
    stdout: "it is Monday",
    happens: { comesTo: ["context"], words: /Monday/ },
  },
  {
    event: "UserPromptSubmit",
    name: "exit 2 blocks",
    end: 2,
    stderr: "no such words",
    happens: { comesTo: ["block"], words: /no such words/ },
  },
  {
    event: "UserPromptSubmit",
    name: "block blocks",
    stdout: { decision: "block", reason: "why" },
    happens: { comesTo: ["block"], words: /why/ },
  },
  {
    event: "Stop",
    name: "exit 2 lets it go on",
    end: 2,
    stderr: "tests fail",
    happens: { comesTo: ["block"], words: /goes on instead of ending: tests fail/ },
  },
  { event: "Stop", name: "plain text is nothing", stdout: "bye", happens: { comesTo: ["none"] } },
  {
    event: "Stop",
    name: "continue false ends all",
    stdout: { continue: false, stopReason: "over" },
    happens: { comesTo: ["block"], words: /the run is stopped: over/ },
  },
  {
    event: "SubagentStop",
    name: "block lets it go on",
    stdout: { decision: "block", reason: "more" },
    happens: { comesTo: ["block"], words: /more/ },
  },
  { event: "PreCompact", name: "exit 2 blocks", end: 2, happens: { comesTo: ["block"] } },
  { event: "Notification", name: "exit 2 is only a failure", end: 2, happens: { comesTo: ["failure"] } },
  {
    event: "SessionStart",
    name: "plain text is context",
    stdin: { source: "startup" },
    stdout: "branch main",
    happens: { comesTo: ["context"], words: /branch main/ },
  },
  {
    event: "SessionEnd",
    name: "is told the reason",
    stdin: { reason: "exit" },
    happens: { comesTo: ["none"] },
  },
];

const rows: Row[] = [...PRE.map((row) => ({ event: "PreToolUse", ...row })), ...OTHERS];

test("the table has 60 rows at least", () => assert.ok(rows.length >= 60, `${rows.length}`));

for (const row of rows) {
  test(`${row.event}: ${row.name}`, async () => {
    using scratch = new Scratch();
    scratch.file("a.txt", "one\n");
    scratch.file("b.txt", "two\n");
    const out = path.join(scratch.root, "seen");
    const one = hook(script(row, out), row.has);
    const flags = hooksFlag(scratch, { [row.event]: [{ matcher: row.matcher ?? "", hooks: [one] }] });
    const { happens } = row;
    if (isOfACall(row.event)) {
      const { results, stderr } = await scratch.batch([row.call ?? READ], [
        ...modeOf(row),
        ...row.flags ?? [],
        ...flags,
      ]);
      assert.equal(results[0]!.outcome, happens.outcome ?? "success", textOf(results[0]!));
      if (happens.text) assert.match(textOf(results[0]!), happens.text);
      if (happens.notText) assert.doesNotMatch(textOf(results[0]!), happens.notText);
      if (happens.told) assert.match(stderr, happens.told);
      else assert.equal(stderr, "");
    } else {
      const fields = JSON.stringify({ prompt: "hi", ...row.stdin });
      const ran = await scratch.agent(["hooks", "test", row.event, "--json", "--fields", fields, ...flags]);
      const report = JSON.parse(ran.stdout);
      assert.deepEqual(report.comesTo, happens.comesTo);
      assert.match(report.words, happens.words ?? /./);
    }
    if (happens.silent) assert.throws(() => readFileSync(out), "it was asked");
    else if (!row.has?.args) assertSeen(row, out, realpathSync(scratch.work));
  });
}

function isOfACall(event: string): boolean {
  return event.startsWith("PreTool") || event.startsWith("PostTool") || event === "PermissionRequest";
}

/** Commands run where nobody is asked; all else is held to the default. */
function modeOf({ call, event }: Row): string[] {
  return call?.args.command !== undefined && event !== "PermissionRequest" ? ["--allow", "Bash"] : [];
}

function script({ end = 0, stdout = "", stderr = "" }: Row, out: string): string {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  const last = end === "sleep" ? "sleep 60" : typeof end === "string" ? `kill -${end} $$` : `exit ${end}`;
  return [
    `cat > ${quoted(out)}`,
    `env > ${quoted(out)}.env`,
    `printf %s ${quoted(text)}`,
    `printf %s ${quoted(stderr)} >&2`,
    last,
  ].join("; ");
}

function assertSeen({ stdin = {}, env = {} }: Row, out: string, work: string): void {
  const places: Json = { FILE: path.join(work, "a.txt"), NEW: path.join(work, "new.txt"), WORK: work };
  const expected = JSON.parse(JSON.stringify(stdin), (_, value) => places[value] ?? value);
  const sent: Json = JSON.parse(readFileSync(out, "utf8"));
  assert.equal(readFileSync(out, "utf8").at(-1), "\n");
  for (const [key, value] of Object.entries(expected)) assert.deepEqual(sent[key], value, key);
  for (const [key, value] of Object.entries(stdin)) if (value === undefined) assert.ok(!(key in sent), key);
  const found = readFileSync(`${out}.env`, "utf8").split("\n");
  for (const [name, value] of Object.entries(env)) {
    assert.ok(found.includes(`${name}=${places[value] ?? value}`), name);
  }
}
