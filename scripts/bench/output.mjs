/**
 * What long output costs: `agent exec Bash` of a program that prints coloured text with secrets in it, against Node
 * that only drains the same pipe. 20 secrets are in the store. Prints medians and bests, and how much memory grew over an idle run.
 *
 *     node scripts/bench/output.mjs [megabytes] [rounds]
 */
import { spawn } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";

const megabytes = Number(process.argv[2] ?? 100), rounds = Number(process.argv[3] ?? 7);
const main = path.resolve(import.meta.dirname, "../../dist/main.cjs");
const scratch = mkdtempSync(path.join(tmpdir(), "agent-output-"));
const at = (name) => path.join(scratch, name);
const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  LANG: "C.UTF-8",
  XDG_CONFIG_HOME: at("config"),
  XDG_STATE_HOME: at("state"),
  XDG_CACHE_HOME: at("cache"),
};

/** The same figures each time. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-";
const WORDS =
  "const value compute return function import export test build compile warning error info debug module package"
    .split(" ");

function secrets() {
  const next = numbers(7);
  return Array.from(
    { length: 20 },
    (_, index) => Array.from({ length: 20 + index }, () => LETTERS[next(LETTERS.length)]).join(""),
  );
}

/** As builds print it: an escape code in each 40 characters, a secret in some form in each 3,000. */
function writeSample(file, values) {
  const next = numbers(3), fd = openSync(file, "w");
  const forms = values.flatMap((
    value,
  ) => [
    value,
    Buffer.from(value).toString("base64"),
    Buffer.from(value).toString("hex"),
    [...value].join("\x1b[1m"),
  ]);
  for (let written = 0; written < megabytes * 1e6;) {
    let text = "";
    while (text.length < 1e6) {
      const words = Array.from({ length: 10 }, (_, index) => {
        const word = WORDS[next(WORDS.length)];
        return index % 8 === 3 ? `\x1b[3${next(8)}m${word}\x1b[0m` : word;
      });
      text += `${words.join(" ")} ${next(1e6)}${next(40) === 0 ? ` ${forms[next(forms.length)]}` : ""}\n`;
    }
    written += writeSync(fd, text.slice(0, megabytes * 1e6 - written));
  }
  closeSync(fd);
}

/** Wall time in ms, and the most memory in MB. */
function timed(argv) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(argv[0], argv.slice(1), { cwd: scratch, env, stdio: ["ignore", "pipe", "inherit"] });
    let peak = 0, out = "";
    const look = () => {
      try {
        peak = Math.max(
          peak,
          Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "latin1"))[1]) / 1024,
        );
      } catch {
        // It has ended.
      }
    };
    const timer = setInterval(look, 5);
    child.stdout.on("data", (chunk) => void (out += chunk));
    child.once("close", () => {
      clearInterval(timer);
      resolve({ ms: performance.now() - started, peak, out });
    });
  });
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const DRAIN =
  `let n = 0; const c = require("node:child_process").spawn("sh", ["-c", process.argv[1]], { stdio: ["ignore", "pipe", "pipe"] });
c.stdout.on("data", (d) => { n += d.length; }); c.stderr.on("data", () => {}); c.on("close", () => console.log(n));`;

try {
  const values = secrets();
  mkdirSync(at("config/agent"), { recursive: true });
  writeFileSync(
    at("config/agent/settings.json"),
    JSON.stringify({ overflow: { fileCapBytes: 2e8, totalCapBytes: 4e8 } }),
  );
  writeFileSync(
    at("config/agent/secrets.env"),
    values.map((value, index) => `SECRET_${index}=${value}\n`).join(""),
    { mode: 0o600 },
  );
  writeSample(at("sample.txt"), values);
  const command = `cat ${at("sample.txt")}`;
  const agent = (text) => [process.execPath, main, "exec", "--json", "Bash", `command=${text}`];
  const cases = {
    idle: agent("sleep 0.1"),
    drain: [process.execPath, "-e", DRAIN, command],
    start: agent("true"),
    node: [process.execPath, "-e", DRAIN, "true"],
    // Last, so that its file is there at the end.
    agent: agent(command),
  };
  const ran = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [name, argv] of Object.entries(cases)) {
      // Of earlier rounds: clearing them away isn't what is measured.
      rmSync(at("state/agent/overflow"), { recursive: true, force: true });
      const result = await timed(argv);
      if (round >= 0) ran[name].push(result);
    }
  }
  const ms = (name) => median(ran[name].map((result) => result.ms));
  const peak = (name) => median(ran[name].map((result) => result.peak));
  const result = JSON.parse(ran.agent.at(-1).out);
  const [notice] = /\.\.\. \[.*\] \.\.\./.exec(result.content[0].text) ?? [];
  const saved = readFileSync(result.overflow, "latin1");
  const leaks = values.filter((value) =>
    saved.includes(value) || saved.includes(Buffer.from(value).toString("hex"))
  ).length;
  console.log(
    `${megabytes} MB: drain ${ms("drain").toFixed(0)} ms, agent ${ms("agent").toFixed(0)} ms, × ${
      (ms("agent") / ms("drain")).toFixed(2)
    }`,
  );
  const best = (name) => Math.min(...ran[name].map((result) => result.ms));
  console.log(
    `best of ${rounds}: ${best("drain").toFixed(0)} ms, ${best("agent").toFixed(0)} ms, × ${
      (best("agent") / best("drain")).toFixed(2)
    }`,
  );
  const [net, bare] = [ms("agent") - ms("start"), ms("drain") - ms("node")];
  console.log(
    `without the starts: ${bare.toFixed(0)} ms, ${net.toFixed(0)} ms, × ${(net / bare).toFixed(2)}`,
  );
  console.log(
    `memory: idle ${peak("idle").toFixed(0)} MB, peak ${peak("agent").toFixed(0)} MB, + ${
      (peak("agent") - peak("idle")).toFixed(0)
    } MB (drain ${peak("drain").toFixed(0)} MB)`,
  );
  console.log(
    `file: ${statSync(result.overflow).size} bytes, ${
      saved.split("<redacted:").length - 1
    } marks, ${leaks} leaks; ${notice}`,
  );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
