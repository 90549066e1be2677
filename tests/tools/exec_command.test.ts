/** Commands that answer after some time, whether they are over or not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shellQuote } from "../../src/core/shell_quote.ts";
import { commandLine, shellArguments } from "../../src/shell/command_line.ts";
import { commandOf } from "../../src/tools/exec_command.ts";
import { type Json, Scratch, textOf } from "../support.ts";
import { has } from "../shell/terminal_support.ts";
import { Talk } from "./talk.ts";

const FLAGS = ["--mode", "bypassPermissions", "--concurrency", "1"];

async function calls(scratch: Scratch, list: readonly [string, Json][]): Promise<Json[]> {
  const { results } = await scratch.batch(list.map(([name, args]) => ({ name, args })), FLAGS);
  return results;
}

/** The lines above the output by their names, and the output. */
function parts(result: Json): Record<string, string> {
  const [head, output] = textOf(result).split(/^(?:Output|Screen):\n/m);
  const lines = head!.trimEnd().split("\n").map((line) => {
    const at = /^Process (?:exited with code |running with session ID )/.exec(line)?.[0].length ??
      line.indexOf(": ") + 2;
    return [line.slice(0, at).replace(/:? $/, ""), line.slice(at)];
  });
  return { ...Object.fromEntries(lines), Output: output };
}

test("an answer has its number, its time, its end and its tokens", async () => {
  using scratch = new Scratch();
  const [over, running, polled] = await calls(scratch, [
    ["exec_command", { cmd: "printf 12345; exit 3" }],
    ["exec_command", { cmd: "echo first; read x; echo got $x; read y", yield_time_ms: 1 }],
    ["write_stdin", { session_id: 1, chars: "it\n", yield_time_ms: 1 }],
  ]);
  const seen = parts(over!);
  assert.deepEqual(Object.keys(seen), [
    "Chunk ID",
    "Wall time",
    "Process exited with code",
    "Original token count",
    "Output",
  ]);
  assert.match(seen["Chunk ID"]!, /^[0-9a-f]{6}$/);
  assert.match(seen["Wall time"]!, /^\d+\.\d{4} seconds$/);
  assert.deepEqual([seen["Process exited with code"], seen["Original token count"], seen["Output"]], [
    "3",
    "2",
    "12345",
  ]);
  assert.deepEqual([over!.outcome, over!.exitCode, running!.outcome], ["error", 3, "success"]);
  assert.equal(parts(running!)["Process running with session ID"], "1");
  // A yield of a millisecond is one of a quarter of a second.
  assert.ok(parseFloat(parts(running!)["Wall time"]!) >= 0.24);
  assert.ok(parseFloat(parts(polled!)["Wall time"]!) >= 0.24);
});

test("however fast a command ends, all that it printed is there, and its code", async () => {
  using scratch = new Scratch();
  for (const tty of [false, true]) {
    const results = await calls(
      scratch,
      Array.from({ length: 100 }, () => ["exec_command", { cmd: "printf M; exit 3", tty }]),
    );
    assert.equal(results.length, 100);
    for (const result of results) {
      const { Output, "Process exited with code": code } = parts(result);
      assert.deepEqual([Output, code, result.exitCode], ["M", "3", 3], `tty: ${tty}`);
    }
  }
});

test("200 KB and then the end: all of it is counted and kept", async () => {
  using scratch = new Scratch();
  const [piped, typed] = await calls(scratch, [
    ["exec_command", { cmd: "head -c 200000 /dev/zero | tr '\\0' x" }],
    ["exec_command", { cmd: "head -c 200000 /dev/zero | tr '\\0' x", tty: true }],
  ]);
  for (const result of [piped!, typed!]) {
    const { Output, "Original token count": tokens } = parts(result);
    assert.equal(tokens, "50000");
    const cut = /\[.*?(\d[\d,]*) characters.*?all of it: (\S+?)\]/s.exec(Output!);
    assert.ok(cut, Output);
    assert.equal(scratch.read(cut[2]!).length, 200_000);
    assert.ok(textOf(result).length <= 30_000);
  }
});

test("no more tokens than asked for", async () => {
  using scratch = new Scratch();
  const [result] = await calls(scratch, [
    ["exec_command", { cmd: "seq 1 1000", max_output_tokens: 50 }],
  ]);
  const { Output, "Original token count": tokens } = parts(result!);
  assert.ok(Output!.length <= 200, Output);
  assert.match(Output!, /^1\n2\n/);
  assert.match(Output!, /1000\n$/);
  assert.equal(tokens, "974");
});

test("a terminal is one: its size, its keys, its signals", async () => {
  using scratch = new Scratch();
  const talk = new Talk(scratch);
  const script = 'test -t 0 && test -t 1 && echo "tty $(stty size)"; ' +
    'trap "stty size; echo end; exit 4" INT; while :; do read -r x && echo "got $x"; done';
  await talk.call("exec_command", { cmd: script, tty: true, yield_time_ms: 250 });
  const wait = (until_output: string) =>
    talk.call("ShellSession", { action: "wait", session_id: 1, until_output, timeout_s: 60 });
  await talk.call("ShellSession", { action: "resize", session_id: 1, cols: 101, rows: 33 });
  await talk.call("write_stdin", { session_id: 1, chars: "abc\n" });
  await talk.call("ShellSession", {
    action: "poll",
    session_id: 1,
    keys: ["d", "backspace", "e", "enter"],
    peek: true,
  });
  const typed = textOf(await wait("got e"));
  assert.match(typed, /got e/);
  await talk.call("ShellSession", { action: "poll", session_id: 1, keys: ["ctrl-c"], peek: true });
  const ended = await wait("never");
  assert.match(textOf(ended), /33 101\nend\n\[session 1 exited with code 4\]$/);
  assert.deepEqual(talk.notices(), []);
  assert.equal(await talk.end(), 0);
  assert.match(talk.events.map((event) => event.content ? textOf(event) : "").join(""), /tty 24 80/);
});

test("a full-screen program shows its screen", async () => {
  using scratch = new Scratch();
  const script =
    "read x; printf 'before\\n\\033[?1049h\\033[2J\\033[3;5HMENU\\033[1;1Htop\\033[3;10Hmore\\n#'; " +
    "read x; printf '\\033[?1049lafter\\n'; read x";
  const enter: [string, Json] = ["shell_session", {
    action: "poll",
    session_id: 1,
    keys: ["enter"],
    peek: true,
  }];
  const wait = (until_output: string): [string, Json] => [
    "shell_session",
    { action: "wait", session_id: 1, until_output, timeout_s: 60 },
  ];
  const results = await calls(scratch, [
    ["exec_command", { cmd: script, tty: true, yield_time_ms: 250 }],
    enter,
    wait("#"),
    ["shell_session", { action: "poll", session_id: 1, yield_time_ms: 0 }],
    enter,
    wait("after"),
  ]);
  for (const shown of results.slice(2, 4)) {
    assert.equal(textOf(shown), "top\n\n    MENU more\n#\n[session 1 running; this is its screen]");
  }
  assert.match(textOf(results[5]!), /after\n\[session 1 running\]$/);
});

test("an interrupted start leaves nothing running", async () => {
  using scratch = new Scratch();
  const marker = `AGENT_TEST_${Math.random().toString(36).slice(2)}`;
  const talk = new Talk(scratch, [], { [marker]: "1" });
  const result = talk.call("exec_command", { cmd: "(trap '' TERM INT; sleep 300) & echo here; sleep 300" });
  await talk.event(({ type, text }) => type === "tool_output" && /here/.test(text));
  talk.interrupt();
  await talk.ended;
  assert.equal((await result).outcome, "interrupted");
  const { processesWith } = await import("../support.ts");
  assert.deepEqual(await processesWith(marker), []);
});

test("a shell that is none of sh's kind gets the text alone, and rules see what is run", async () => {
  using scratch = new Scratch();
  const cmd = "-1; print('ran', 6 * 7)";
  const [python, sh, system] = await calls(scratch, [
    ["exec_command", { cmd, shell: "python3" }],
    ["exec_command", { cmd: "-x; echo hi", shell: "sh" }],
    ["exec_command", { cmd: "echo hi", shell: "/bin/bash", login: true }],
  ]);
  assert.deepEqual([python!.exitCode, parts(python!).Output], [0, "ran 42\n"]);
  assert.match(parts(sh!).Output!, /-x: .*not found$/m);
  assert.match(parts(sh!).Output!, /^hi$/m);
  assert.equal(parts(system!).Output, "hi\n");
  assert.equal(
    commandOf({ cmd: "print(1)", shell: "python3" }),
    shellArguments("python3", false, "print(1)").map(shellQuote).join(" "),
  );
  assert.equal(commandOf({ cmd: "ls", shell: "fish", login: true }), "fish -l -c ls");
  assert.equal(commandOf({ cmd: "ls", shell: "./bash" }), "./bash -c -- ls");
  assert.equal(commandOf({ cmd: "ls", shell: "/bin/zsh" }), "ls");
  assert.deepEqual(commandLine("-l", false, "csh").argv, ["csh", "-c", "-l"]);
  assert.deepEqual(commandLine("x", true, "bash").argv, ["bash", "-lc", "--", "x"]);
  const pwsh = ["pwsh", "-NoProfile", "-NonInteractive", "-Command", "x"];
  assert.deepEqual(commandLine("x", false, "pwsh").argv, pwsh);
  const { results: [denied] } = await scratch.batch(
    [{ name: "exec_command", args: { cmd, shell: "python3" } }],
    ["--deny", "Bash(python3 *)", ...FLAGS],
  );
  assert.equal(denied!.outcome, "denied");
});

test("a program that redraws without the alternate screen shows its screen, and then lines again", async () => {
  using scratch = new Scratch();
  const until = (file: string) => `until [ -e ${file} ]; do sleep 0.02; done`;
  const frame = (count: number) => `\\033[H\\033[Jframe ${count}\\r\\nrow\\r\\n`;
  const talk = new Talk(scratch);
  const start = await talk.call("exec_command", {
    cmd: `echo before; printf '${frame(1)}${frame(2)}'; ${until("one")}; echo plain; ${
      until("two")
    }; printf '${frame(3)}'; exit 3`,
    tty: true,
    yield_time_ms: 500,
  });
  assert.match(textOf(start), /^Process running with session ID 1$/m);
  const wait = (until_output: string) =>
    talk.call("ShellSession", { action: "wait", session_id: 1, until_output, timeout_s: 60 });
  if (!/row/.test(textOf(start))) assert.match(textOf(await wait("row")), /^frame 2\nrow\n/);
  else assert.match(textOf(start), /^Screen:\nframe 2\nrow$/m);
  scratch.file("one", "");
  assert.equal(textOf(await wait("plain")), "plain\n[session 1 running]");
  scratch.file("two", "");
  const end = await talk.call("ShellSession", { action: "wait", session_id: 1, timeout_s: 60 });
  assert.equal(textOf(end), "frame 3\nrow\n[session 1 exited with code 3; this is its screen]");
  await talk.end();
});

test("a secret that a full-screen program draws over the end of a row is masked", async (context) => {
  using scratch = new Scratch();
  const value = "Zq8vKp2LmN4rTy6WbX0d";
  await scratch.agent(["secrets", "set", "TOK"], { input: value });
  const talk = new Talk(scratch);
  const look = async (cmd: string, seen: RegExp, session_id: number) => {
    await talk.call("exec_command", { cmd, tty: true, yield_time_ms: 250 });
    for (;;) {
      const text = textOf(
        await talk.call("ShellSession", { action: "poll", session_id, yield_time_ms: 100 }),
      );
      if (!seen.test(text)) continue;
      await talk.call("ShellSession", { action: "kill", session_id });
      return text;
    }
  };
  const halves = `printf '\\033[?1049h\\033[2;1H${value.slice(9)}\\033[1;72H${
    value.slice(0, 9)
  }\\033[5;5HEND\\n'; sleep 300`;
  const drawn = await look(halves, /END/, 1);
  assert.match(drawn, /^ {71}<redacted:TOK>\n\n\n\n {4}END\n/);
  if (!has("vim")) return context.skip("no vim");
  scratch.file("v.txt", `${"p".repeat(70)} ${value} then\n`);
  const shown = await look("vim -u NONE -i NONE -N v.txt", /v\.txt/, 2);
  assert.match(shown, /^p{70} <redacted:TOK>\n *then\n/);
  await talk.end();
});
