/** Programs in terminals: started, sized, fed, interrupted, drained, ended. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { ProcessGroups } from "../../src/shell/groups.ts";
import { keyText } from "../../src/shell/keys.ts";
import { startTerminal } from "../../src/shell/terminal.ts";
import { processesWith, Scratch } from "../support.ts";
import { has, open } from "./terminal_support.ts";

const FINE = { exitCode: 0, signal: undefined };

test("a program has a terminal of its size, on all three streams, that it leads", async () => {
  const script = "stty size; for i in 0 1 2; do [ -t $i ] && echo $i; done; echo $TERM $COLUMNS; " +
    "ps -o sid= -p $$ | tr -d ' '; echo $$";
  const opened = await open(script, { env: { COLUMNS: "7", LINES: "7" } });
  assert.deepEqual(await opened.ended, FINE);
  const { pid } = opened.child;
  assert.equal(opened.text, `24 80\r\n0\r\n1\r\n2\r\nxterm-256color\r\n${pid}\r\n${pid}\r\n`);
});

test("the end comes after the output: 200 times, and nothing is left of them", async () => {
  const groups = new ProcessGroups();
  // Other tests may run in this process, and open files; only these open terminals.
  const descriptors = () => process.platform === "linux" ? terminals().length : 0;
  await (await open("true", { groups })).ended;
  const before = descriptors();
  for (let time = 0; time < 200; time++) {
    const opened = await open("printf M; exit 3", { groups });
    assert.deepEqual([await opened.ended, opened.text], [{ exitCode: 3, signal: undefined }, "M"]);
    assert.equal(opened.child.survivors(), false);
  }
  assert.ok(descriptors() <= before + 2, `${before} open terminals became ${descriptors()}`);
  await until(() => zombies().length === 0);
});

test("all of an output that is longer than a terminal's buffer arrives", async () => {
  const numbers = Array.from({ length: 40_000 }, (_, i) => `${i + 1}\r\n`).join("");
  for (let time = 0; time < 20; time++) {
    const opened = await open(["seq", "1", "40000"]);
    await opened.ended;
    assert.equal(opened.text.length, numbers.length);
    assert.equal(opened.text, numbers);
  }
});

test("characters of several bytes arrive whole, both ways, in whatever pieces", async () => {
  using scratch = new Scratch();
  const text = "you😀é\n".repeat(100_000);
  const length = new TextEncoder().encode(text).length;
  assert.equal(length, 1_000_000);
  const opened = await open(`stty raw -echo; echo up; head -c ${length} > got; cat got`, {
    cwd: scratch.work,
  });
  await opened.until((text) => text.includes("up"));
  assert.equal(opened.child.write(text), "ok");
  assert.deepEqual(await opened.ended, FINE);
  assert.equal(scratch.read("got"), text);
  assert.equal(opened.text.replace(/^up\r?\n/, ""), text);
});

test("a new size is told to the program", async () => {
  const opened = await open("trap 'stty size; kill $!; exit 4' WINCH; sleep 60 & echo ready; wait");
  await opened.until((text) => text.includes("ready"));
  opened.child.resize!(100, 40);
  assert.equal((await opened.ended).exitCode, 4);
  assert.equal(opened.text, "ready\r\n40 100\r\n");
  opened.child.resize!(10, 10);
});

test("an exit code, a signal, the end of the input", async () => {
  assert.deepEqual(await (await open("kill -HUP $$")).ended, { exitCode: 129, signal: "SIGHUP" });
  assert.deepEqual(await (await open("kill -KILL $$")).ended, { exitCode: 137, signal: "SIGKILL" });
  const reader = await open("echo up; cat; echo read; exit 7");
  await reader.until((text) => text.includes("up"));
  assert.equal(reader.child.write("hello\n"), "ok");
  await reader.until((text) => text.endsWith("hello\r\nhello\r\n"));
  reader.child.endInput();
  assert.equal((await reader.ended).exitCode, 7);
  assert.match(reader.text, /read\r\n$/);
  assert.equal(reader.child.write("more"), "closed");
  reader.child.endInput();
  reader.child.interrupt();
  await reader.child.kill();
});

test("Ctrl-C reaches what runs in the foreground", async () => {
  const caught = await open("trap 'echo caught; exit 5' INT; sleep 60 & echo ready; wait");
  await caught.until((text) => text.includes("ready"));
  caught.child.interrupt();
  assert.equal((await caught.ended).exitCode, 5);
  assert.match(caught.text, /caught\r\n$/);
  await caught.child.kill();

  // A shell's job is in a group of its own; the shell lives on.
  const shell = await open(["bash", "--norc", "-i"], { env: { PS1: "next> " } });
  await shell.until((text) => text.endsWith("next> "));
  shell.child.write("sh -c 'echo be''gun; exec sleep 60'\r");
  await shell.until((text) => text.includes("begun"));
  shell.child.interrupt();
  await shell.until((text) => /begun[^]*next> $/.test(text));
  shell.child.write("exit $?\r");
  assert.equal((await shell.ended).exitCode, 130);
});

test("a program that reads nothing blocks nobody, takes bounded memory, and can be interrupted", async () => {
  const opened = await open("stty raw -echo; echo up; exec sleep 60");
  await opened.until((text) => text.includes("up"));
  const megabyte = "x".repeat(1_000_000);
  const answers = Array.from({ length: 6 }, () => opened.child.write(megabyte));
  assert.deepEqual(answers, ["ok", "ok", "ok", "ok", "full", "full"]);
  opened.child.interrupt();
  assert.deepEqual(await opened.ended, { exitCode: 130, signal: "SIGINT" });
  assert.equal(opened.child.write("x"), "closed");
});

test("kill ends jobs in groups of their own and whoever left the session", async () => {
  if (process.platform !== "linux") return;
  const marker = randomUUID();
  const opened = await open(["bash", "--norc", "-i"], { env: { PS1: "next> ", MARKER: marker } });
  await opened.until((text) => text.endsWith("next> "));
  opened.child.write("sleep 60 & setsid sleep 60 & (trap '' TERM HUP; sleep 60) & echo st''arted\r");
  await opened.until((text) => text.includes("started"));
  await until(async () => (await processesWith(marker)).length >= 4);
  await Promise.all([opened.child.kill(), opened.child.kill()]);
  assert.deepEqual(await processesWith(marker), []);
  assert.equal((await opened.ended).signal !== undefined || (await opened.ended).exitCode !== 0, true);
  assert.equal(opened.child.survivors(), false);
});

test("who outlives the program is known, and ends with the session", async () => {
  for (const how of ["kill", "endAll"] as const) {
    const marker = randomUUID();
    const groups = new ProcessGroups();
    const opened = await open("trap '' HUP; sleep 60 & printf done", { env: { MARKER: marker }, groups });
    assert.deepEqual([await opened.ended, opened.text], [FINE, "done"]);
    assert.equal(opened.child.survivors(), true);
    await (how === "kill" ? opened.child.kill() : groups.endAll());
    assert.equal(opened.child.survivors(), false);
    assert.deepEqual(await processesWith(marker), []);
  }
});

test("a line editor takes keys", async (context) => {
  if (!has("python3")) return context.skip("no python3");
  using scratch = new Scratch();
  const opened = await open(["python3", "-q"], { env: { HOME: scratch.home } });
  await opened.until((text) => text.includes(">>> "));
  opened.child.write("print('a' * 3 + 'b')" + keyText("enter"));
  await opened.until((text) => /aaab[^]*>>> /.test(text));
  const before = opened.text.length;
  opened.child.write(keyText("up") + keyText("left") + keyText("backspace") + "'*2" + keyText("enter"));
  await opened.until((text) => /aaabb[^]*>>> /.test(text.slice(before)));
  opened.child.write("import sys; print('beg' + 'un'); sys.stdin.read()" + keyText("enter"));
  await opened.until((text) => text.includes("begun"));
  opened.child.interrupt();
  await opened.until((text) => /KeyboardInterrupt[^]*>>> /.test(text));
  opened.child.write(keyText("ctrl-d"));
  await opened.ended;
});

test("what can't be started is said", async () => {
  using scratch = new Scratch();
  scratch.file("plain", "x");
  const reason = (argv: string[], cwd = scratch.work) =>
    open(argv, { cwd }).then(() => "it ran", (error) => error.message);
  assert.equal(await reason(["nope"]), 'Cannot start "nope": no such program');
  assert.equal(await reason(["./plain"]), 'Cannot start "./plain": permission denied');
  assert.equal(await reason(["true"], "/none"), 'Cannot run a command in "/none": no such folder');
  assert.equal(await reason(["echo", "a\0b"]), 'Cannot start "echo": an argument holds a NUL character');
});

test("without its library a terminal is a clear error", async () => {
  const start = { argv: ["true"], cwd: "/", env: {}, cols: 80, rows: 24, onOutput: () => {} };
  const failing = (error: Error) => startTerminal(start, new ProcessGroups(), () => Promise.reject(error));
  await assert.rejects(failing(new Error("Cannot find package '@lydell/node-pty' imported from x")), {
    message: "Cannot open a terminal: @lydell/node-pty is not installed",
    hint: "go without a terminal (tty=false), or run `npm install @lydell/node-pty`",
  });
  await assert.rejects(failing(new Error("bad ELF\nmore")), {
    message: "Cannot open a terminal: @lydell/node-pty can't be loaded: bad ELF",
  });
});

/** Children of this process that nobody has waited for. */
function zombies(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      return stat.slice(stat.lastIndexOf(")") + 2).startsWith(`Z ${process.pid} `);
    } catch {
      return false;
    }
  });
}

/** Open descriptors that are terminals. */
function terminals(): string[] {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return /pts|ptmx/.test(readlinkSync(`/proc/self/fd/${name}`));
    } catch {
      return false;
    }
  });
}

/** Waits for what others do; the runner's time limit ends it. */
async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!await done()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("the library has what is used of it beside what it publishes", async () => {
  const { spawn } = await import("@lydell/node-pty");
  const pty = spawn("true", [], { encoding: null }) as unknown as Record<string, unknown>;
  const stream = pty._socket as Record<string, unknown>;
  const kinds = {
    fd: typeof pty.fd,
    once: typeof pty.once,
    socket: ["once", "on", "write", "pause", "resume", "destroy", "destroyed"].map((name) =>
      typeof stream[name]
    ),
  };
  await new Promise<void>((resolve) => (pty.onExit as (listener: () => void) => void)(resolve));
  assert.deepEqual(kinds, {
    fd: "number",
    once: "function",
    socket: [...Array(6).fill("function"), "boolean"],
  });
});

test("another version of the library is said to be one, and what it started is ended", async () => {
  const library = await import("@lydell/node-pty");
  for (const name of ["_socket", "fd", "once"]) {
    const ended: string[] = [];
    const other = {
      ...library,
      spawn: () => ({
        pid: 2 ** 30,
        fd: 3,
        once: () => {},
        _socket: { once: () => {}, destroy: () => {}, destroyed: false },
        kill: (signal: string) => ended.push(signal),
        [name]: undefined,
      }),
    } as unknown as typeof library;
    const start = {
      argv: ["true"],
      cwd: "/",
      env: { PATH: process.env.PATH! },
      cols: 80,
      rows: 24,
      onOutput: () => {},
    };
    await assert.rejects(startTerminal(start, new ProcessGroups(), () => Promise.resolve(other)), {
      message:
        "Cannot open a terminal: the installed @lydell/node-pty is not the version that this is made for",
    });
    assert.deepEqual(ended, ["SIGKILL"]);
  }
});

test("a terminal's program is looked for in its own folder, and a closed or missing one is named", async () => {
  using scratch = new Scratch();
  scratch.file("here", "#!/bin/sh\necho found\n", 0o755);
  const opened = await open(["here"], { cwd: scratch.work, env: { PATH: "" } });
  await opened.ended;
  assert.equal(opened.text, "found\r\n");
  await assert.rejects(open("true", { cwd: `${scratch.work}/none` }), /no such folder/);
});
