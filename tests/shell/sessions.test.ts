/** A session by itself: how it waits, what it shows, and that nothing of it stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Child, ChildEnd } from "../../src/shell/child.ts";
import { Collector } from "../../src/shell/collector.ts";
import { redactor } from "../../src/core/redact.ts";
import { LineSearch } from "../../src/shell/line_search.ts";
import { Screen } from "../../src/shell/screen.ts";
import { ShellSession } from "../../src/shell/session.ts";

const PID = 2 ** 30;

/** A session of a child that never was; `end` ends it. */
function session(screen?: Screen) {
  let end!: (end: ChildEnd) => void;
  const ended = new Promise<ChildEnd>((resolve) => end = resolve);
  const child: Child = {
    pid: PID,
    ended,
    survivors: () => false,
    write: () => "ok",
    endInput: () => {},
    interrupt: () => true,
    kill: () => {
      end({ exitCode: 137, signal: "SIGKILL" });
      return Promise.resolve();
    },
    release: () => {},
  };
  const gate = {
    limit: 30_000,
    redaction: () => redactor([]).stream(),
    overflow: () => undefined,
    secretsNamedIn: () => ({}),
  };
  const collector = new Collector(gate, () => {});
  const parts = { command: "c", cwd: "/", tty: false, hasInput: true, child, collector };
  return new ShellSession(1, { ...parts, ...(screen && { screen: () => screen }) });
}

test("who waits hears of an abort that came before", { timeout: 60_000 }, async () => {
  const aborted = AbortSignal.abort();
  assert.equal(await session().until(() => false, 600_000, aborted), false);
});

test("a session that was killed leaves no timer that would hold a host", async () => {
  const one = session();
  const waiting = new Set<unknown>();
  const { setTimeout, clearTimeout } = globalThis;
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    const timer = setTimeout(...args);
    waiting.add(timer);
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((timer: Parameters<typeof clearTimeout>[0]) => {
    waiting.delete(timer);
    clearTimeout(timer);
  }) as typeof clearTimeout;
  try {
    await one.kill();
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
  assert.equal(waiting.size, 0);
});

test("where no screen can be drawn, the output is there, and the reason once", async () => {
  const screen = new Screen(
    80,
    24,
    undefined,
    undefined,
    () => Promise.reject(new Error("no such library\nstack")),
  );
  const one = session(screen);
  screen.write("\x1b[?1049hmenu");
  one.collector.push(new TextEncoder().encode("menu\n"), "stdout");
  const look = await one.look(1000, true);
  assert.deepEqual([look.output, look.isScreen], ["menu\n", false]);
  assert.match(look.note!, /^\[its screen can't be shown, .*no such library\]$/);
  screen.write("more");
  screen.resize(10, 10);
  assert.deepEqual(await one.look(1000, true), { output: "", isScreen: false });
});

test("a line without an end is looked at when nothing comes any more, however many pieces it comes in", () => {
  let now = 0, looks = 0;
  const search = new LineSearch((line) => {
    looks++;
    return line.endsWith("sure? ");
  }, () => now);
  for (let count = 0; count < 10_000; count++) {
    search.push("x");
    assert.equal(search.found(), false);
    now += 100;
  }
  assert.equal(looks, 0);
  search.push("sure? ");
  assert.equal(search.found(), false);
  now += 1000;
  assert.equal(search.found(), true);
  assert.equal(looks, 1);
  const last = new LineSearch((line) => line === "end", () => now);
  last.push("e");
  assert.equal(last.found(), false);
  last.push("nd");
  assert.deepEqual([last.found(), last.found(true)], [false, true]);
  const whole = new LineSearch((line) => line === "a", () => now);
  whole.push("a\nb");
  assert.equal(whole.found(), true);
});

test("what an earlier look passed of a line is part of it, and nothing new by itself", () => {
  const begun = (pattern: RegExp) => new LineSearch((line) => pattern.test(line), () => 0, "port 8");
  const goesOn = begun(/^port 8080$/);
  goesOn.push("080\nmore\n");
  assert.equal(goesOn.found(), true);
  const same = begun(/port 8/);
  assert.equal(same.found(true), false);
  same.push("\n");
  assert.equal(same.found(true), false);
  same.push("port 81");
  assert.equal(same.found(true), true);
  // It came long before: nothing is waited for.
  const prompt = new LineSearch((line) => line === "> ", () => 5000);
  prompt.push("> ", 0);
  assert.equal(prompt.found(), true);
});
