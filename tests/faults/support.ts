/** What the fault tests share: a real `agent` that is struck at a chosen file call, and what must hold after. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { Journal } from "../../src/core/journal.ts";
import { ON_DENO, ROOT, type RunOptions, type Scratch } from "../support.ts";

/** Flags that load the preload before `agent`. */
export const FAULTY: readonly string[] = [
  ON_DENO ? "--preload" : "--require",
  path.join(ROOT, "tests/faults/preload.cjs"),
];

export interface Fault {
  at?: number;
  do?: "kill" | "change" | "replace";
  file?: string;
  text?: string;
  log?: string;
}

/** Options for a run in `scratch` that is struck; only calls on its files and its journal count. */
export function struck(scratch: Scratch, fault: Fault, options: RunOptions = {}): RunOptions {
  const env = {
    FAULT_ROOTS: [scratch.work, journalFolder(scratch)].join(":"),
    FAULT_AT: fault.at === undefined ? undefined : String(fault.at),
    FAULT_DO: fault.do,
    FAULT_FILE: fault.file,
    FAULT_TEXT: fault.text,
    FAULT_LOG: fault.log,
  };
  return { ...options, nodeFlags: FAULTY, env: { ...options.env, ...env } };
}

export function journalFolder(scratch: Scratch): string {
  return path.join(scratch.state, "journal");
}

/** The journal of a scratch folder, in this process. */
export function journalOf(
  scratch: Scratch,
  more: Partial<ConstructorParameters<typeof Journal>[0]> = {},
): Journal {
  return new Journal({
    folder: journalFolder(scratch),
    enabled: true,
    totalCap: 1e9,
    keepDays: 30,
    complain: (message) => assert.fail(message),
    ...more,
  });
}

/** Everything below a folder by name: kind, mode, and a hash of the content. Temporary files show as well. */
export function tree(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const place = path.join(folder, name);
    const stat = fs.lstatSync(place);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) found[name] = `folder ${mode}`;
    else if (stat.isSymbolicLink()) found[name] = `link ${fs.readlinkSync(place)}`;
    else found[name] = `file ${mode} ${hashOf(place)}`;
  }
  return found;
}

export function hashOf(place: string): string {
  return createHash("sha256").update(fs.readFileSync(place)).digest("hex");
}

/** The names below the journal. */
export function journalTree(scratch: Scratch): Record<string, string> {
  const folder = journalFolder(scratch);
  return fs.existsSync(folder) ? tree(folder) : {};
}

/** Nothing is at work, nothing half done lies about, and each old content is private and true to its name. */
export function assertJournalClean(scratch: Scratch): void {
  for (const [name, state] of Object.entries(journalTree(scratch))) {
    if (state.startsWith("folder")) {
      assert.equal(state, "folder 700", name);
      continue;
    }
    assert.ok(!name.startsWith("open/"), `left at work: ${name}`);
    assert.match(
      name,
      /^(calls\/\d{13}-\d+-\d+\.json|blobs\/..\/[0-9a-f]{64}|\.cleaned|\.added)$/,
      "a stray file",
    );
    assert.match(state, /^file 600 /, name);
    if (!name.startsWith("blobs/")) continue;
    assert.equal(state, `file 600 ${path.basename(name)}`, "a content that isn't what its name says");
    const { nlink } = fs.statSync(path.join(journalFolder(scratch), name));
    assert.equal(nlink, 1, `${name} is a second name for a file`);
  }
}
