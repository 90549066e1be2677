/** What a plugin declares, read without running it: believed only where it stands there plainly. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch } from "../support.ts";

const IMPORT = `import { definePlugin } from "agent";\n`;

const SOURCES: [source: string, uses: unknown][] = [
  [
    `${IMPORT}export default definePlugin({ name: "p", uses: ["exec", 'secrets:A'], setup() { return /[,}]/; } });`,
    [
      "exec",
      "secrets:A",
    ],
  ],
  [
    `${IMPORT}export default definePlugin({ name: "p", async setup(a: any) { await a; }, uses: ["call" as const] });`,
    [
      "call",
    ],
  ],
  [`${IMPORT}// uses: ["exec"]\nexport default definePlugin({ name: 'uses: ["exec"]', setup() {} });`, []],
  [`export default { name: "p", setup() {}, uses: [] };`, []],
  [`${IMPORT}export default definePlugin({ name: "p", uses: [], ...more, setup() {} });`, "computed"],
  [`${IMPORT}export default definePlugin({ name: "p", uses: [], uses: ["exec"], setup() {} });`, "computed"],
  [
    `${IMPORT}export default definePlugin({ name: "p", uses: [], ["uses"]: ["exec"], setup() {} });`,
    "computed",
  ],
  [
    `${IMPORT}export default definePlugin({ name: "p", get uses() { return ["exec"]; }, setup() {} });`,
    "computed",
  ],
  [
    `${IMPORT}export default definePlugin({ name: "p", uses: [], __proto__: { a: 1 }, setup() {} });`,
    "computed",
  ],
  [`${IMPORT}export default definePlugin({ name: "p", uses: ["a"].concat(b), setup() {} });`, "computed"],
  [
    `${IMPORT}const p = definePlugin({ name: "p", uses: [], setup() {} });\np.uses.push("exec");\nexport default p;`,
    "computed",
  ],
  [
    `const definePlugin = (x) => ({ ...x, uses: ["exec"] });\nexport default definePlugin({ uses: [], setup() {} });`,
    "computed",
  ],
  [
    `import { evil as definePlugin } from "./x.ts";\nexport default definePlugin({ uses: [], setup() {} });`,
    "computed",
  ],
  [
    `${IMPORT}export default definePlugin({ uses: [], setup(x) { if (x) /}});export{/.test(x); }, uses: ["exec"] });`,
    "computed",
  ],
  [`${IMPORT}export default definePlugin({ uses: [], setup: \`\${{ a: 1 }.a}}\`, }) as unknown;`, []],
  [`this is no script (`, "computed"],
];

test("uses is read from the source, and is computed wherever that could be wrong", async () => {
  using scratch = new Scratch();
  SOURCES.forEach(([source], at) => {
    const name = `p${String(at).padStart(2, "0")}.ts`;
    writeFileSync(path.join(scratch.folder("config/agent/plugins"), name), source);
  });
  const { stdout } = await scratch.agent(["trust", "--user", "--json"]);
  const plugins = (JSON.parse(stdout) as Json).plugins as Json[];
  assert.deepEqual(plugins.map(({ uses }, at) => [SOURCES[at]![0], uses]), SOURCES);
});
