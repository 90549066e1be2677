/**
 * Runs a formatter on what a call has written. Settings, by the ending of a file's name:
 *
 *     "plugins": {"format-on-write": {"run": {"ts": ["deno", "fmt", "-q"], "py": ["ruff", "format"]}, "timeoutMs": 4000}}
 *
 * The file's path is added as the last word; no shell reads it. A formatter that fails, or isn't there, is a note at the
 * end of the result, as is a file that it changed: the text that a model remembers is the old one. It runs in the file's
 * folder with PATH, HOME and the language of the environment, nothing else. Many formatters run what a repository's own
 * configuration says: name those that you would run there yourself. `agent undo` needs `--force` for a formatted file.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, extname } from "node:path";
import process from "node:process";
import { definePlugin, type ModCall } from "agent";
import { z } from "zod";

interface Options {
  run?: Record<string, string[]>;
  /** Below `mods.handlerTimeoutMs`, which is 5,000. */
  timeoutMs?: number;
}

const KEPT =
  /^(?:PATH|HOME|LANG|LC_\w+|TMPDIR|XDG_\w+|DENO_DIR|SYSTEMROOT|USERPROFILE|APPDATA|LOCALAPPDATA)$/i;

/** Regular files that a call has written, the real ones. */
function written({ traits, dryRun }: ModCall): string[] {
  const paths = (traits?.subjects ?? []).filter(({ kind, access }) => kind === "path" && access === "write")
    .map(({ value }) => value);
  return dryRun
    ? []
    : [...new Set(paths)].filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

const hashOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

/** What went wrong; `undefined` where nothing did. Never rejects. */
function format([program = "", ...args]: readonly string[], path: string, timeout: number) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name)));
  const options = {
    cwd: dirname(path),
    env,
    timeout,
    killSignal: "SIGKILL",
    maxBuffer: 1024 * 1024,
  } as const;
  return new Promise<string | undefined>((resolve) => {
    try {
      execFile(program, [...args, path], options, (error, _, stderr) => {
        if (!error) return resolve(undefined);
        const why = error.killed ? `no end within ${timeout} ms` : stderr.trim().split("\n")[0];
        resolve(why || error.message.split("\n")[0]);
      }).stdin?.end();
    } catch (error) {
      resolve(String(error));
    }
  });
}

export default definePlugin<Options>({
  name: "format-on-write",
  options: z.strictObject({
    run: z.record(z.string(), z.array(z.string()).min(1)).optional(),
    timeoutMs: z.number().min(1).optional(),
  }),
  uses: ["exec"],
  setup(agent, { run = {}, timeoutMs = 4000 }) {
    const formatters = new Map(Object.entries(run));
    const noteOn = async (path: string, words: readonly string[], ms: number) => {
      const before = hashOf(path);
      const fault = await format(words, path, ms);
      if (fault !== undefined) return `[format-on-write: ${words[0]} failed on ${path}: ${fault}]`;
      if (hashOf(path) === before) return "";
      return `[format-on-write: ${words[0]} changed ${path}; read it again before you edit it]`;
    };
    // The call still holds its files, so no other call works on them meanwhile.
    agent.on("tool_end", async (call, { outcome, content }) => {
      if (outcome !== "success") return;
      const end = Date.now() + timeoutMs;
      const notes: string[] = [];
      for (const path of written(call)) {
        const words = formatters.get(extname(path).slice(1));
        // The time is for all files of a call. No limit at all would be 0.
        if (words) notes.push(await noteOn(path, words, Math.max(1, end - Date.now())).catch(String));
      }
      const text = notes.filter((note) => note !== "").join("\n");
      return text === "" ? undefined : { result: [...content, { type: "text", text }] };
    }, { effect: "write" });
  },
});
