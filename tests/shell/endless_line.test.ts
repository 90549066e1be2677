/** The line of an endless screen, against one that is a list of characters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EndlessLine } from "../../src/shell/endless_line.ts";

const column = fc.nat(12);
const step = fc.oneof(
  fc.record({ does: fc.constant("put" as const), column, text: fc.stringMatching(/^[ab🚀]{0,6}$/u) }),
  fc.record({ does: fc.constant("cut" as const), column }),
  fc.record({ does: fc.constant("blank" as const), column }),
);

test("whatever is written, cut and blanked, the line is what its characters are", () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
    const line = new EndlessLine();
    let model: string[] = [];
    for (const one of steps) {
      if (one.does === "put") {
        assert.equal(line.put(one.column, one.text), one.column + [...one.text].length);
        while (model.length < one.column) model.push(" ");
        model.splice(one.column, [...one.text].length, ...one.text);
      } else if (one.does === "cut") {
        line.cut(one.column);
        model = model.slice(0, one.column);
      } else {
        const count = Math.min(one.column, line.length);
        line.blank(count);
        model.fill(" ", 0, count);
      }
      assert.equal(line.text, model.join(""));
      assert.equal(line.length, model.length);
    }
  }));
});

test("a long line is written over as fast as it is written", () => {
  // Each write once copied the line: seconds for a tenth of this.
  const line = new EndlessLine("y".repeat(200_000));
  for (let at = 0; at < 200_000; at++) line.put(at % 100, "🚀");
  for (let at = 0; at < 200_000; at++) line.blank(100_000);
  assert.equal(line.length, 200_000);
});
