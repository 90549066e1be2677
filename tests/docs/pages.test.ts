/** What pages for authors show works as they say, from top to bottom. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { ROOT } from "../support.ts";
import { blocksOf, follow } from "./blocks.ts";

const pages = readdirSync(path.join(ROOT, "docs")).filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .filter((name) =>
    blocksOf(readFileSync(path.join(ROOT, name), "utf8")).some(({ info }) => info === "sh run")
  );

for (const page of pages) {
  test(`${page} can be followed from top to bottom`, async () => {
    assert.ok(await follow(page) > 0);
  });
}

test("the guide is among them, and none of its plugins or commands is only there to be read", () => {
  assert.ok(pages.includes("docs/guide.md"));
  const page = readFileSync(path.join(ROOT, "docs/guide.md"), "utf8");
  const unrun = blocksOf(page).filter(({ info }) => !/^\w+ (?:file=\S+|settings|run|output)$/.test(info));
  assert.deepEqual(unrun.map(({ line, info }) => `${line}: ${info}`), []);
});
