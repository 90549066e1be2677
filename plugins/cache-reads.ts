/**
 * Answers a Read of what this session has just read, and what hasn't changed since, with one line. No settings.
 *
 * The same arguments and the same bytes are the same Read; hooks and permission were asked the first time. Asked once
 * more, the file is read again: a model that lost the text, or never had it (several may share a session), gets it.
 * Never for images, for what others' tools read, or for files above 4 MB. A write to a file makes it forgotten;
 * whatever else changes it shows in its bytes.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { definePlugin, type ModCall } from "agent";
import { z } from "zod";

const MOST_BYTES = 4 * 1024 * 1024;
const MOST_READS = 1000;

interface Known {
  path: string;
  hash: string;
  /** Answered from here last time, so the next one reads. */
  told: boolean;
}

/** The one file that a call reads, with links followed. */
function fileOf({ traits, parent, dryRun }: ModCall): string | undefined {
  const [subject, ...others] = traits?.subjects ?? [];
  return others.length === 0 && subject?.kind === "path" && !dryRun && parent === undefined
    ? subject.value
    : undefined;
}

function hashOf(path: string): string | undefined {
  try {
    const info = statSync(path);
    if (!info.isFile() || info.size > MOST_BYTES) return undefined;
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return undefined;
  }
}

export default definePlugin({
  name: "cache-reads",
  options: z.strictObject({}),
  setup(agent) {
    const known = new Map<string, Known>();
    /** What calls under way found before they read: it may change while they do. */
    const before = new Map<string, string | undefined>();
    const keyOf = (call: ModCall) => JSON.stringify([call.name, call.cwd, call.args]);

    // Late: what other plugins refuse or rewrite, they do before.
    agent.on("tool_start", (call) => {
      const path = fileOf(call);
      if (path === undefined) return;
      const hash = hashOf(path), seen = known.get(keyOf(call));
      if (hash !== undefined && seen && !seen.told && seen.hash === hash) {
        seen.told = true;
        return { result: "[unchanged since you read it in this session; read it once more to see it again]" };
      }
      before.set(call.id, hash);
    }, { tools: ["Read"], order: "late" });

    agent.on("tool_end", (call, { outcome, content }) => {
      const path = fileOf(call), hash = before.get(call.id);
      before.delete(call.id);
      if (path === undefined || outcome === "answered") return;
      const key = keyOf(call);
      known.delete(key);
      if (outcome !== "success" || hash === undefined || hashOf(path) !== hash) return;
      if (content.some(({ type }) => type !== "text")) return;
      known.set(key, { path, hash, told: false });
      if (known.size > MOST_READS) known.delete(known.keys().next().value!);
    }, { tools: ["Read"], order: "late" });

    agent.on("tool_end", ({ traits, dryRun }) => {
      if (dryRun) return;
      const written = traits?.keys && new Set(traits.subjects?.map(({ value }) => value));
      for (const [key, { path }] of known) if (!written || written.has(path)) known.delete(key);
    }, { effect: "write" });
  },
});
