/** Keys by their names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keysText, keyText } from "../../src/shell/keys.ts";

test("keys send what a terminal sends for them", () => {
  const table: Record<string, string> = {
    "ctrl-a": "\x01",
    "ctrl-c": "\x03",
    "ctrl-z": "\x1a",
    "ctrl-[": "\x1b",
    "ctrl-\\": "\x1c",
    "ctrl-space": "\0",
    "enter": "\r",
    "tab": "\t",
    "esc": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "page-up": "\x1b[5~",
    "page-down": "\x1b[6~",
    "f1": "\x1bOP",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f12": "\x1b[24~",
    "shift-tab": "\x1b[Z",
    "alt-x": "\x1bx",
    "alt-enter": "\x1b\r",
    "alt--": "\x1b-",
    "ctrl-left": "\x1b[1;5D",
    "ctrl-shift-up": "\x1b[1;6A",
    "shift-delete": "\x1b[3;2~",
    "q": "q",
    "Q": "Q",
    "é": "é",
    "-": "-",
    "^": "^",
  };
  for (const [name, text] of Object.entries(table)) assert.equal(keyText(name), text, name);
});

test("names are read generously", () => {
  const same: Record<string, string[]> = {
    "ctrl-c": ["C-c", "^C", "^c", "Ctrl+C", "CONTROL-C", " ctrl-c "],
    "alt-x": ["M-x", "Meta+x", "ALT-x"],
    "esc": ["Escape", "ESC", "^[", "C-["],
    "enter": ["Return", "ENTER"],
    "delete": ["del"],
    "page-down": ["PageDown", "pgdn", "page_down"],
    "shift-tab": ["Backtab", "Shift+Tab"],
  };
  for (const [name, others] of Object.entries(same)) {
    for (const other of others) assert.equal(keyText(other), keyText(name), other);
  }
  assert.equal(keyText("alt-X"), "\x1bX");
});

test("a program that asked for application keys gets them", () => {
  assert.equal(keyText("up", true), "\x1bOA");
  assert.equal(keyText("home", true), "\x1bOH");
  assert.equal(keyText("ctrl-up", true), "\x1b[1;5A");
  assert.equal(keyText("page-up", true), "\x1b[5~");
  assert.equal(keysText(["a", "left", "enter"], true), "a\x1bOD\r");
});

test("an unknown key is an error with the nearest names, or all", () => {
  const failure = (name: string) => {
    try {
      return keyText(name);
    } catch (error) {
      const { message, hint } = error as { message: string; hint: string };
      return `${message} (${hint})`;
    }
  };
  assert.equal(failure("entr"), 'Cannot press "entr": no such key (nearest: enter, end)');
  assert.equal(failure("ctrl-cc"), 'Cannot press "ctrl-cc": no such key (nearest: ctrl-c, ctrl-a, ctrl-b)');
  for (const name of ["", "hello", "constructor", "ctrl-constructor", "\x07", "--", "ctrl-1", "alt-"]) {
    assert.match(failure(name), /^Cannot press ".*": no such key \((nearest:|keys are) /, name);
  }
});
