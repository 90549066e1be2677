/** What decides of which files a plugin is made counts like these files, and what can't be bundled is said. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { test } from "node:test";
import { Scratch } from "../support.ts";

const GUARD = 'export const word = "refused";\n', OPEN = "export const word = undefined;\n";
const plugin = (imports: string) =>
  `${imports}
   export default { name: "p", setup(agent) { agent.on("tool_start", () => word && { deny: word }); } };\n`;

/** How a plugin comes by its guard, and a change of no file that it is made of which would take it away. */
const SWITCHES: [what: string, lay: (root: string) => void, swap: (root: string) => void][] = [
  ["the main file of a package", (root) => {
    const dep = folder(root, ".agent/node_modules/dep");
    writeFileSync(`${dep}/a.js`, GUARD);
    writeFileSync(`${dep}/b.js`, OPEN);
    writeFileSync(`${dep}/package.json`, '{"name":"dep","main":"a.js"}');
    writeFileSync(`${folder(root, ".agent/plugins")}/p.js`, plugin('import { word } from "dep";'));
  }, (root) => writeFileSync(`${root}/.agent/node_modules/dep/package.json`, '{"name":"dep","main":"b.js"}')],
  ["what #guard means", (root) => {
    const lib = folder(root, ".agent/lib");
    writeFileSync(`${lib}/a.js`, GUARD);
    writeFileSync(`${lib}/b.js`, OPEN);
    writeFileSync(`${root}/package.json`, '{"imports":{"#guard":"./.agent/lib/a.js"}}');
    writeFileSync(`${folder(root, ".agent/plugins")}/p.js`, plugin('import { word } from "#guard";'));
  }, (root) => writeFileSync(`${root}/package.json`, '{"imports":{"#guard":"./.agent/lib/b.js"}}')],
  ["whether a file that is only run may be left out", (root) => {
    writeFileSync(`${folder(root, "lib")}/guard.js`, 'globalThis.guarded = "refused";\n');
    writeFileSync(`${root}/package.json`, "{}");
    const code = 'import "../../lib/guard.js";\nconst word = globalThis.guarded;';
    writeFileSync(`${folder(root, ".agent/plugins")}/p.js`, plugin(code));
  }, (root) => writeFileSync(`${root}/package.json`, '{"sideEffects":false}')],
];

function folder(root: string, name: string): string {
  mkdirSync(path.join(root, name), { recursive: true });
  return path.join(root, name);
}

for (const [what, lay, swap] of SWITCHES) {
  test(`a trusted plugin isn't changed by ${what}`, async () => {
    using scratch = new Scratch();
    scratch.file("a.txt", "one\n");
    folder(scratch.work, ".git");
    lay(scratch.work);
    const read = () => scratch.agent(["exec", "Read", "file_path=a.txt"]);
    assert.equal((await scratch.agent(["trust", "--yes"])).code, 0);
    assert.match((await read()).stderr, /refused/);
    swap(scratch.work);
    rmSync(path.join(scratch.root, "cache"), { recursive: true, force: true });
    const { stderr } = await read();
    assert.match(stderr, /refused|is off: .* trust|left out/, "the guard stands, or its absence is said");
  });
}

test("a plugin that imports a pipe or a device is said to be none, and nothing waits for it", {
  skip: process.platform === "win32" && "no pipes in folders on Windows",
}, async () => {
  for (
    const make of [
      (file: string) => symlinkSync("/dev/zero", file),
      (file: string) => execFileSync("mkfifo", [file]),
    ]
  ) {
    using scratch = new Scratch();
    folder(scratch.work, ".git");
    make(path.join(folder(scratch.work, "lib"), "z.js"));
    scratch.file(
      ".agent/plugins/p.js",
      'import z from "../../lib/z.js"; export default { name: "p", setup() { z; } };',
    );
    const { code, stdout, stderr } = await scratch.agent(["trust"]);
    assert.notEqual(code, 0);
    assert.match(
      stdout + stderr,
      /plugin p: [^;]*; p\.js:1: Cannot bundle "[^"]*(?:zero|z\.js)": it is a (?:device|named pipe)/,
    );
  }
});
