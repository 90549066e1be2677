/** What full-screen programs show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyText } from "../../src/shell/keys.ts";
import { Screen } from "../../src/shell/screen.ts";
import { Scratch } from "../support.ts";
import { has, open, type Opened } from "./terminal_support.ts";

test("a screen shows what a terminal of its size would", async () => {
  const screen = new Screen(20, 4);
  assert.deepEqual([screen.text(), screen.isAlternate], ["", false]);
  await screen.settled();
  screen.write("one\r\ntwo  \x1b[31mred\x1b[0m  \r\n\r\n");
  await screen.settled();
  assert.equal(screen.text(), "one\ntwo  red");
  screen.write("\x1b[Habcdef\rxy\x1b[2;1H\x1b[Kこ😀");
  screen.write("\x1b[4;15Hlonger than the line");
  await screen.settled();
  assert.equal(screen.text(), "こ😀\n\n              longer\nthan the line".replace("than", " than"));
});

test("the alternate screen is told apart and given back, whatever chunks the switch comes in", async () => {
  const screen = new Screen(20, 4);
  screen.write("$ program\r\n");
  for (const unit of "\x1b[?1049h\x1b[?1h\x1b[2J\x1b[HTOP\x1b[4;1Hbottom") screen.write(unit);
  await screen.settled();
  assert.deepEqual([screen.isAlternate, screen.applicationKeys, screen.text()], [
    true,
    true,
    "TOP\n\n\nbottom",
  ]);
  screen.write("\x1b[?1l\x1b[?1049l");
  await screen.settled();
  assert.deepEqual([screen.isAlternate, screen.applicationKeys, screen.text()], [false, false, "$ program"]);
});

test("a new size holds for what is written after it", async () => {
  const screen = new Screen(10, 2);
  screen.write("0123456789abc");
  screen.resize(20, 3);
  screen.write("\x1b[2J\x1b[H0123456789abc\r\n\r\nthird");
  await screen.settled();
  assert.equal(screen.text(), "0123456789abc\n\nthird");
});

test("more than can wait leaves its end and the modes that were set", async () => {
  const screen = new Screen(20, 2);
  screen.write("\x1b[?1049h\x1b[?1h\x1b[?1l");
  screen.resize(30, 3);
  for (let time = 0; time < 200; time++) screen.write(`${"x".repeat(98)}\r\n`.repeat(500));
  screen.write("the end");
  await screen.settled();
  assert.deepEqual([screen.isAlternate, screen.applicationKeys], [true, false]);
  assert.match(screen.text(), /^x+\n.*\nthe end$/);
});

test("a program's question to the terminal is answered", async () => {
  const answers: string[] = [];
  const screen = new Screen(20, 4, (text) => answers.push(text));
  screen.write("ab\x1b[6n");
  await screen.settled();
  assert.deepEqual(answers, ["\x1b[1;3R"]);
});

test("what a program draws anew is its screen, until a look took it or lines went off the top", async () => {
  const screen = new Screen(20, 4);
  const drawn = async (text: string) => {
    screen.write(text);
    await screen.settled();
    return screen.isDrawn;
  };
  assert.equal(await drawn("\x1b[31mone\x1b[0m\r\ntwo\r\x1b[K2\x1b[5C\x1b[4;1H"), false);
  for (const up of ["\x1b[H", "\x1b[A", "\x1b[1;3H", "\x1b[1d", "\x1b[F", "\x1bM", "\x1b[2J", "\x1b[1J"]) {
    assert.equal(await drawn(up), true, JSON.stringify(up));
    screen.take();
    assert.equal(await drawn("\rplain\x1b[4;1H\x1b[K"), false, JSON.stringify(up));
  }
  assert.equal(await drawn("\x1b[H" + "1\r\n2\r\n3\r\n4\r\n5"), false);
  screen.take();
  assert.equal(await drawn("\x1b[Hagain"), true);
});

test("a secret over the ends of rows is masked in its place, whatever order it was drawn in", async () => {
  const value = "Zq8vKp2LmN4rTy6WbX0dE";
  const { redactor } = await import("../../src/core/redact.ts");
  const one = redactor([{ name: "TOK", value }]);
  const masked = async (text: string) => {
    const screen = new Screen(40, 6, undefined, (part) => one.redact(part));
    screen.write(text);
    await screen.settled();
    return screen.text();
  };
  const forms = [value, btoa(`${value}`), encodeURIComponent(value), Buffer.from(value).toString("hex")];
  for (const form of forms) {
    for (let at = 1; at < form.length; at++) {
      const first = form.slice(0, at), second = form.slice(at), column = 40 - first.length + 1;
      if (column < 3 || second.length > 30) continue;
      const rows = [`a${" ".repeat(column - 2)}<redacted:TOK>`, " z"];
      for (
        const drawn of [
          `\x1b[Ha\x1b[1;${column}H${first}${second} z`,
          `\x1b[2;1H${second} z\x1b[1;${column}H${first}\x1b[1;1Ha`,
          `\x1b[?1049h\x1b[Ha\x1b[2;1H${second} z\x1b[1;${column}H${first}`,
        ]
      ) assert.equal(await masked(drawn), rows.join("\n"), JSON.stringify(drawn));
      // An editor indents the rest of a line, and a row needn't be full.
      const indented = await masked(`\x1b[2;5H${second} z\x1b[1;1Ha ${first}`);
      assert.equal(indented, "a <redacted:TOK>\n     z", form);
    }
  }
  const twice = await masked(
    `\x1b[3;1H${value.slice(9)}${value.slice(0, 5)}\x1b[2;1H${value.slice(0, 9)}\x1b[4;1H${value.slice(5)}`,
  );
  assert.ok(
    ![...Array(value.length - 4).keys()].some((at) => twice.includes(value.slice(at, at + 5))),
    twice,
  );
  assert.equal(await masked("\x1b[2;3Hplain\x1b[1;1Htext"), "text\n  plain");
});

test("a script on the alternate screen is seen as it looks, then is gone", async () => {
  const screen = new Screen(80, 24);
  const opened = await open(
    "printf '\\033[?1049h\\033[2J\\033[3;5HMenu\\033[24;1Hq quits'; stty -icanon -echo; dd bs=1 count=1 2>/dev/null; " +
      "printf '\\033[?1049l'; echo bye",
    { onText: (text) => screen.write(text) },
  );
  await shows(opened, screen, (text) => text.includes("q quits"));
  assert.equal(screen.isAlternate, true);
  assert.equal(screen.text(), `\n\n    Menu${"\n".repeat(21)}q quits`);
  opened.child.write("q");
  assert.equal((await opened.ended).exitCode, 0);
  await screen.settled();
  assert.deepEqual([screen.isAlternate, screen.text()], [false, "bye"]);
});

test("less is read and steered by keys", async (context) => {
  if (!has("less")) return context.skip("no less");
  using scratch = new Scratch();
  scratch.file("long.txt", Array.from({ length: 200 }, (_, i) => `line ${i + 1}.`).join("\n"));
  const screen = new Screen(80, 24);
  const opened = await open(["less", "long.txt"], {
    cwd: scratch.work,
    onText: (text) => screen.write(text),
  });
  const press = (key: string) => opened.child.write(keyText(key, screen.applicationKeys));
  await shows(opened, screen, (text) => text.startsWith("line 1.\n") && text.includes("line 23."));
  press("down");
  await shows(opened, screen, (text) => text.startsWith("line 2.\n"));
  press("page-down");
  await shows(opened, screen, (text) => text.startsWith("line 25.\n"));
  press("g");
  await shows(opened, screen, (text) => text.startsWith("line 1.\n"));
  press("q");
  assert.equal((await opened.ended).exitCode, 0);
});

test("vim edits a file", async (context) => {
  if (!has("vim")) return context.skip("no vim");
  using scratch = new Scratch();
  const screen = new Screen(80, 24);
  const opened = await open(["vim", "-u", "NONE", "-i", "NONE", "-N", "note.txt"], {
    cwd: scratch.work,
    env: { HOME: scratch.home },
    onText: (text) => screen.write(text),
  });
  await shows(opened, screen, (text) => text.includes("~") && text.includes("note.txt"));
  assert.equal(screen.isAlternate, true);
  opened.child.write("ihello");
  await shows(opened, screen, (text) => text.startsWith("hello\n"));
  opened.child.write(keyText("esc"));
  opened.child.write(":wq" + keyText("enter"));
  assert.equal((await opened.ended).exitCode, 0);
  assert.equal(scratch.read("note.txt"), "hello\n");
});

/** Waits until the screen is as wanted. */
async function shows(opened: Opened, screen: Screen, wanted: (text: string) => boolean): Promise<void> {
  for (let length = -1;;) {
    await screen.settled();
    if (wanted(screen.text())) return;
    await opened.until((text) => text.length > length);
    length = opened.text.length;
  }
}
