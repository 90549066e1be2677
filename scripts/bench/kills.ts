/** Real kills: `agent` at work on one file gets SIGKILL at a random moment; what it leaves is looked at. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const EDITS = 200;
const FILLING = "a line of the file that stays as it is\n".repeat(200);

/** Kills `program` so many times below `scratch`, and prints what was found. */
export async function kills(
  program: readonly string[],
  env: Record<string, string>,
  scratch: string,
  rounds = 200,
): Promise<void> {
  const work = path.join(scratch, "kills");
  mkdirSync(work);
  const file = path.join(work, "file.txt");
  const state = (at: number) => `${at}\n${FILLING}`;
  const input = Array.from({ length: EDITS }, (_, at) => {
    const args = { file_path: file, old_string: `${at}\n`, new_string: `${at + 1}\n` };
    return JSON.stringify({ name: "Edit", args }) + "\n";
  }).join("");
  const found = { killed: 0, torn: 0, left: 0, unrecovered: 0 };
  const start = (...words: string[]) =>
    spawn(program[0]!, [...program.slice(1), "exec", ...words], {
      cwd: work,
      env,
      stdio: ["pipe", "ignore", "ignore"],
    });
  writeFileSync(file, state(0));
  // The first start fills the code cache.
  await lasted(start("-", "--mode", "acceptEdits"), input);
  writeFileSync(file, state(0));
  const full = await lasted(start("-", "--mode", "acceptEdits"), input);
  for (let round = 0; round < rounds; round++) {
    writeFileSync(file, state(0));
    const child = start("-", "--mode", "acceptEdits");
    const timer = setTimeout(() => child.kill("SIGKILL"), full.ms * Math.random());
    const ended = await lasted(child, input);
    clearTimeout(timer);
    if (ended.signal === "SIGKILL") found.killed++;
    const text = readFileSync(file, "utf8");
    if (text !== state(Number.parseInt(text))) found.torn++;
    await lasted(start("Read", `file_path=${file}`, "limit=1"));
    found.left += readdirSync(work).length - 1;
    found.unrecovered += readdirSync(path.join(env.XDG_STATE_HOME!, "agent/journal/open")).length;
  }
  const { killed, torn, left, unrecovered } = found;
  console.log(
    `\nKills: of ${rounds} runs ${killed} were killed at work; ${torn} torn files, and after the next start ` +
      `${left} temporary files and ${unrecovered} open entries (aim 0)`,
  );
}

function lasted(child: ChildProcess, input = ""): Promise<{ ms: number; signal: string | null }> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    child.stdin!.on("error", () => {});
    child.stdin!.end(input);
    child.once("error", reject);
    child.once("exit", (_code, signal) => resolve({ ms: performance.now() - started, signal }));
  });
}
