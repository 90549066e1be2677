/**
 * Runs what a page shows. A fenced block says by its info string what it is; blocks without one of these are only read:
 *
 *     ```ts file=plugins/hello.ts     a file below the working folder
 *     ```json settings                the user's settings
 *     ```sh run                       commands, `agent` among them
 *     ```text output                  what the commands before print, both streams, to the letter; `…` stands for
 *                                     anything within a line. Without such a block the commands must succeed.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { AGENT, ROOT, run, Scratch } from "../support.ts";

interface Block {
  info: string;
  text: string;
  line: number;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(({ 1: info, 2: text, index }) => ({
    info: info!,
    text: text!,
    line: page.slice(0, index).split("\n").length,
  }));
}

/** Follows a page from top to bottom in a folder of its own; gives back how many commands' blocks it ran. */
export async function follow(name: string): Promise<number> {
  using scratch = new Scratch();
  const bin = scratch.file(
    "../bin/agent",
    `#!/bin/sh\nexec ${AGENT.map((word) => `'${word}'`).join(" ")} "$@"\n`,
    0o755,
  );
  const env = scratch.env({
    PATH: `${path.dirname(bin)}:${process.env.PATH}`,
    // The plugins that ship.
    SHIPPED: path.join(ROOT, "plugins"),
  });
  const blocks = blocksOf(readFileSync(path.join(ROOT, name), "utf8"));
  let ran = 0;
  for (const [index, { info, text, line }] of blocks.entries()) {
    const file = /^\w+ file=(\S+)$/.exec(info)?.[1];
    if (file !== undefined) scratch.file(file, text);
    if (info === "json settings") scratch.settings(text);
    if (info !== "sh run") continue;
    ran++;
    const { code, stdout } = await run(["sh", "-c", `exec 2>&1\n${text}`], { cwd: scratch.work, env });
    const next = blocks[index + 1];
    const where = `${name}:${line}`;
    if (next?.info !== "text output") assert.equal(code, 0, `${where} fails:\n${stdout}`);
    else assert.match(stdout, pattern(next.text), `${where} prints something else:\n${stdout}`);
  }
  return ran;
}

function pattern(text: string): RegExp {
  return new RegExp(
    `^${text.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`,
  );
}
