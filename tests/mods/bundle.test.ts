/** What a plugin may be made of, and what it gets from the host. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { ON_DENO, Scratch, textOf } from "../support.ts";

/** A plugin whose tool `show` returns the value of an expression. */
const show = (imports: string, expression: string) => `
  import { definePlugin } from "agent";
  ${imports}
  export default definePlugin({ name: "show", setup(agent) {
    agent.tool({ name: "show", description: "", run: () => (${expression}) });
  } });
`;

async function shown(scratch: Scratch, plugins = "p"): Promise<unknown> {
  const { result, stderr } = await scratch.exec(["show", "--plugins", plugins]);
  assert.equal(stderr, "");
  assert.equal(result.outcome, "success", textOf(result));
  return JSON.parse(textOf(result));
}

test("relative imports, JSON, text, builtins and an own dependency are bundled", async () => {
  using scratch = new Scratch();
  scratch.file("p/deep/help.ts", `export const help: string = "helped";\n`);
  scratch.file(
    "p/deep/all.ts",
    `export { help } from "./help.ts";\nexport const extra = import("./late.js");\n`,
  );
  scratch.file("p/deep/late.js", `export const late = "late";\n`);
  scratch.file("p/data.json", `{"rows": [1, 2]}`);
  scratch.file("p/words.txt", "some words\n");
  scratch.file("p/node_modules/dep/package.json", `{"name": "dep", "main": "lib/main.js"}`);
  scratch.file(
    "p/node_modules/dep/lib/main.js",
    `const { basename } = require("path");\nmodule.exports = (x) => basename(x) + require("./more.js");\n`,
  );
  scratch.file("p/node_modules/dep/lib/more.js", `module.exports = "!";\n`);
  scratch.file(
    "p/show.ts",
    show(
      `import { help, extra } from "./deep/all.ts";
       import data from "./data.json" with { type: "json" };
       import words from "./words.txt";
       import dep from "dep";
       import { sep } from "node:path";
       import { readdirSync } from "fs";
       import { setTimeout as sleep } from "node:timers/promises";`,
      `Promise.all([extra, sleep(1, "slept")]).then(([{ late }, slept]) =>
         [help, late, data.rows, words, dep("/a/b"), sep, typeof readdirSync, slept])`,
    ),
  );
  assert.deepEqual(await shown(scratch), [
    ...["helped", "late", [1, 2], "some words\n", "b!", "/", "function", "slept"],
  ]);
});

test("agent-runtime/sdk is the host's too, for plugins that are compiled against the package", async () => {
  using scratch = new Scratch();
  scratch.file(
    "p/show.ts",
    show(
      `import { definePlugin as same } from "agent-runtime/sdk";
       import type { ModCall } from "agent-runtime/sdk";`,
      `same === definePlugin`,
    ),
  );
  assert.equal(await shown(scratch), true);
});

for (const [kind, more] of [["script", ""], ["module", "await Promise.resolve();\n"]]) {
  test(`a ${kind} imports when it likes: builtins, files of its own and computed names`, async () => {
    using scratch = new Scratch();
    scratch.file("p/late.mjs", `export const late = "late";\n`);
    scratch.file("p/found.mjs", `export const found = "found";\n`);
    scratch.file(
      "p/show.ts",
      more + show(
        `const load = async () => {
           const { sep } = await import("node:path");
           const { late } = await import("./late.mjs");
           const { found } = await import(new URL("found.mjs", import.meta.url).href);
           const { definePlugin } = await import("agent");
           return [sep, late, found, typeof definePlugin];
         };`,
        "load()",
      ),
    );
    assert.deepEqual(await shown(scratch, "p/show.ts"), ["/", "late", "found", "function"]);
  });
}

test("a plugin with top-level await gets the same as any other", async () => {
  using scratch = new Scratch();
  scratch.file("p/node_modules/dep/index.js", `module.exports = require("os").EOL + typeof process.exit;\n`);
  scratch.file(
    "p/show.ts",
    show(
      `import { z } from "zod";
       import dep from "dep";
       import { basename } from "node:path";
       const value = await Promise.resolve("awaited");`,
      `[value, z.string().parse("s"), dep, basename(import.meta.url), typeof definePlugin]`,
    ),
  );
  assert.deepEqual(await shown(scratch), ["awaited", "s", "\nfunction", "show.ts", "function"]);
});

test("zod is the host's: plugins share one, and its schemas are tools' inputs", async () => {
  using scratch = new Scratch();
  // A copy of their own, which must not be taken.
  scratch.file("p/node_modules/zod/index.js", `throw new Error("the plugin's own zod");\n`);
  for (const name of ["first", "second"]) {
    scratch.file(
      `p/${name}.ts`,
      `import { z } from "zod";\nimport * as sdk from "agent";\n` + `
      export default sdk.definePlugin({ name: "${name}", setup(agent) {
        const seen = globalThis.seen ??= { z, sdk: sdk.definePlugin };
        agent.tool({
          name: "${name}", description: "", input: z.object({ n: z.number().min(2) }),
          run: ({ n }) => [n, seen.z === z, seen.sdk === sdk.definePlugin],
        });
      } });`,
    );
  }
  const { result } = await scratch.exec(["second", '{"n": 3}', "--plugins", "p"]);
  assert.deepEqual(JSON.parse(textOf(result)), [3, true, true]);
});

test("the place of a plugin's source is what it is told, wherever its bundle is", async () => {
  using scratch = new Scratch();
  const file = scratch.file(
    "p ü/show.ts",
    show("", "[import.meta.url, import.meta.filename, import.meta.dirname, __filename, __dirname]"),
  );
  const folder = path.dirname(file);
  assert.deepEqual(await shown(scratch, "p ü"), [pathToFileURL(file).href, file, folder, file, folder]);
});

test("process is the real one but for its end", async () => {
  using scratch = new Scratch();
  scratch.file(
    "p/show.ts",
    show(
      `import other, { exit } from "node:process";
       const tryTo = (f) => { try { f(); return "done"; } catch (error) { return error.message; } };
       const all = Reflect.ownKeys(process).map((key) => process[key]);`,
      `[
         typeof process.hrtime.bigint(), process.cwd() === other.cwd(), process.env.HOME, all.length > 20,
         ...[() => process.exit(7), () => exit(7), () => other.exit(7), () => globalThis.process.exit(7)].map(tryTo),
         "Deno" in globalThis ? tryTo(() => Deno.exit(7)) : tryTo(() => process.abort()),
       ]`,
    ),
  );
  const refused = "process.exit was called; a plugin may not end the process";
  assert.deepEqual(await shown(scratch), [
    ...["bigint", true, scratch.home, true],
    ...[refused, refused, refused, refused, ON_DENO ? refused : refused.replace("exit", "abort")],
  ]);
});

for (const [kind, more] of [["script", ""], ["module", "await Promise.resolve();\n"]]) {
  test(`what a ${kind} prints goes to standard error: standard output is for results`, async () => {
    using scratch = new Scratch();
    scratch.file(
      "p/show.ts",
      `import { log } from "node:console";\n${more}console.log("first"); console.info({ a: 1 });\n` + show(
        "",
        `(globalThis.console.log("third"), log("fourth"), process.stdout.write("fifth\\n"), "text")`,
      ),
    );
    const ran = await scratch.agent(["exec", "show", "--plugins", "p"]);
    assert.deepEqual([ran.stdout, ran.stderr], ["text\n", "first\n{ a: 1 }\nthird\nfourth\nfifth\n"]);
  });
}

test("what can't be bundled is told by file and line", async () => {
  using scratch = new Scratch();
  scratch.file("p/syntax.ts", `export default {\n  name: "syntax",\n  setup( {}\n};\n`);
  scratch.file("p/missing.ts", `import "./nowhere.ts";\nexport default { name: "missing", setup() {} };\n`);
  scratch.file("p/data.ts", `import "./data.json";\nexport default { name: "data", setup() {} };\n`);
  scratch.file("p/data.json", `{"a": }`);
  const ran = await scratch.agent(["exec", "Bash", "command=echo hi", "--plugins", "p"]);
  assert.deepEqual([ran.stdout, ran.code], ["hi\n", 0]);
  const lines = ran.stderr.trim().split("\n").sort();
  assert.equal(lines.length, 3, ran.stderr);
  assert.match(lines[0]!, /plugin "data" is off: build failed: data\.json:1: .*\(.*p\/data\.ts\)$/);
  assert.match(
    lines[1]!,
    /plugin "missing" is off: build failed: missing\.ts:1: Could not resolve "\.\/nowhere\.ts"/,
  );
  assert.match(lines[2]!, /plugin "syntax" is off: build failed: syntax\.ts:4: /);
});
