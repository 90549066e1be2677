/** Secrets through the real program: in no result, event, log or overflow file, whatever the way. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";

const SECRET = "s3cr3t-value-0123456789";
const env = { MY_TOKEN: SECRET };

function withSecret(): Scratch {
  const scratch = new Scratch();
  scratch.settings({ secrets: ["*_TOKEN"] });
  return scratch;
}

/** All files below a folder. */
function below(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name))
    .filter((place) => fs.statSync(place).isFile());
}

function assertNowhere(scratch: Scratch, ...texts: string[]): void {
  for (const text of texts) assert.ok(!text.includes(SECRET), text.slice(0, 500));
  // The undo journal has to name files by their paths.
  for (const place of below(scratch.state).filter((place) => !place.includes("/journal/"))) {
    assert.ok(!fs.readFileSync(place, "utf8").includes(SECRET), place);
  }
}

test("a secret at the head, in the middle, on the cut and at the tail is in no result, event, log or overflow file", async () => {
  using scratch = withSecret();
  // The secret moves over the borders of the cut by a character a line.
  const command =
    `echo "$MY_TOKEN"; for i in $(seq 1 1500); do printf '%*s%s\\n' $((i % 61)) '' "$MY_TOKEN"; done; echo "end $MY_TOKEN"`;
  const ran = await scratch.agent(["exec", "--jsonl", "--full", "Bash", `command=${command}`], { env });
  assert.equal(ran.code, 0, ran.stderr);
  const events = ran.stdout.trim().split("\n").map((line) => JSON.parse(line) as Json);
  const end = events.find(({ type }) => type === "tool_end")!;
  const text = textOf(end);
  assert.match(text, /^<redacted:MY_TOKEN>\n/);
  assert.match(text, /end <redacted:MY_TOKEN>/);
  assert.match(text, /characters omitted; all of it: /);
  const whole = fs.readFileSync(end.overflow, "utf8");
  assert.equal(whole.match(/<redacted:MY_TOKEN>/g)!.length, 1502);
  const streamed = events.filter(({ type }) => type === "tool_output").map(({ text }) => text).join("");
  assert.equal(streamed.match(/<redacted:MY_TOKEN>/g)!.length, 1502);
  assertNowhere(scratch, ran.stdout, ran.stderr);

  const places = below(scratch.state);
  assert.ok(
    places.some((place) => place.includes("/log/")) && places.some((place) => place.includes("/overflow/")),
  );
  for (const place of places) {
    assert.equal(fs.statSync(place).mode & 0o777, 0o600, place);
    assert.equal(fs.statSync(path.dirname(place)).mode & 0o777, 0o700, place);
  }
});

test("a secret that is printed in pieces, encoded, or half on each stream is marked in all that is shown", async () => {
  using scratch = withSecret();
  const command = [
    `for ((i = 0; i < \${#MY_TOKEN}; i++)); do printf %s "\${MY_TOKEN:i:1}"; sleep 0.001; done; echo`,
    `printf 'x%s' "$MY_TOKEN" | base64`,
    `printf %s "$MY_TOKEN" | od -An -tx1 | tr -d ' \\n'; echo`,
    `echo "$MY_TOKEN" >&2`,
  ].join("; ");
  const ran = await scratch.agent(["exec", "--jsonl", "Bash", `command=${command}`], { env });
  const end = ran.stdout.trim().split("\n").map((line) => JSON.parse(line) as Json).find(({ type }) =>
    type === "tool_end"
  )!;
  assert.equal(textOf(end).match(/<redacted:MY_TOKEN>/g)!.length, 4);
  assert.deepEqual(end.stderr, ["<redacted:MY_TOKEN>\n"]);
  assertNowhere(scratch, ran.stdout, ran.stderr);
});

test("a secret in arguments reaches the tool as it is, and the log and errors redacted", async () => {
  using scratch = withSecret();
  const { result } = await scratch.exec(["Write", `file_path=${SECRET}.txt`, `content=key=${SECRET}`], {
    env,
  });
  assert.equal(result.status, "success");
  assert.equal(scratch.read(`${SECRET}.txt`), `key=${SECRET}`);
  const missing = await scratch.exec(["Read", `file_path=${SECRET}/none`], { env });
  assert.match(textOf(missing.result), /<redacted:MY_TOKEN>/);
  assertNowhere(scratch, JSON.stringify(result), missing.stdout);
});

test("what was masked when it was read is never written back, and an edit around it keeps the secret", async () => {
  using scratch = withSecret();
  const original = `K=${SECRET}\nA=1\ntoken=os.getenv("MY_TOKEN")\n`;
  scratch.file(".env", original);
  const { results, code } = await scratch.batch(
    [
      { name: "Read", args: { file_path: ".env" } },
      { name: "Write", args: { file_path: ".env", content: "K=<redacted:MY_TOKEN>\nA=2\n" } },
      { name: "Edit", args: { file_path: ".env", old_string: "A=1", new_string: "K=<redacted:MY_TOKEN>" } },
      { name: "Edit", args: { file_path: ".env", old_string: "K=<redacted:MY_TOKEN>", new_string: "K=x" } },
      { name: "Edit", args: { file_path: ".env", old_string: "A=1", new_string: "A=2" } },
    ],
    ["--mode", "acceptEdits"],
    { env },
  );
  assert.equal(code, 1);
  assert.deepEqual(results.map(({ status }) => status), ["success", "error", "error", "error", "success"]);
  assert.equal(textOf(results[0]!), '1\tK=<redacted:MY_TOKEN>\n2\tA=1\n3\ttoken=os.getenv("MY_TOKEN")');
  for (const refused of [results[1]!, results[2]!]) {
    assert.match(textOf(refused), /a mark that stands for a redacted secret/);
    assert.match(textOf(refused), /hint: /);
  }
  assert.equal(scratch.read(".env"), original.replace("A=1", "A=2"));
});

test("a secret's name and value may hold anything, and a quoted value in secrets.env several lines", async () => {
  using scratch = new Scratch();
  const odd = "va$&lue-$1-$`x";
  scratch.file(
    path.join(scratch.config, "secrets.env"),
    `# names\nOD$&D=${odd}\nKEY="first line of it\\nsecond line of it"\nSHORT=abc\n`,
    0o600,
  );
  scratch.file("a.txt", `<${odd}> abc first line of it\n`);
  const { result } = await scratch.exec(["Read", "file_path=a.txt"]);
  assert.equal(textOf(result), "1\t<<redacted:OD$&D>> abc <redacted:KEY>");
});

test("a secrets file that others can read is refused, and named with the way out", async () => {
  using scratch = new Scratch();
  scratch.file(path.join(scratch.config, "secrets.env"), "A=something-long\n", 0o644);
  const ran = await scratch.agent(["exec", "Bash", "command=true"]);
  assert.equal(ran.code, 2);
  assert.match(ran.stderr, /^error: Cannot use ".*secrets\.env": others can read it\n\nhint: chmod 600 /);
  assert.ok(!ran.stderr.includes("something-long"));
});

test("a variable that looks like a secret is shown nowhere, though a command names it", async () => {
  using scratch = new Scratch();
  scratch.settings({ env: { keep: ["KEPT_*"] } });
  const env = {
    GITHUB_TOKEN: SECRET,
    KEPT_KEY: "kept-value-0123456789",
    MAX_TOKENS: "100000",
    KEYBOARD: "qwertz",
    KEYRING: "/usr/lib/keyring",
    TOKEN_URL: "https://example.org/token",
    AUTH_TOKEN_URL: "https://me:pa55word@example.org/",
  };
  const command = Object.keys(env).map((name) => `echo $${name}`).join("; ");
  const ran = await scratch.agent(["exec", "Bash", `command=${command}`], { env });
  assert.equal(
    ran.stdout,
    "<redacted:GITHUB_TOKEN>\nkept-value-0123456789\n100000\nqwertz\n/usr/lib/keyring\n" +
      "https://example.org/token\n<redacted:AUTH_TOKEN_URL>\n",
  );
  assertNowhere(scratch, ran.stdout, ran.stderr);
});

test("a file of secrets is read whole", async () => {
  using scratch = new Scratch();
  const many = Array.from({ length: 5000 }, (_, at) => `S${at}=value-number-${at}\n`).join("");
  scratch.file(path.join(scratch.config, "secrets.env"), many, 0o600);
  const ran = await scratch.agent(["exec", "Bash", "command=echo $S4999"]);
  assert.equal(ran.stdout, "<redacted:S4999>\n");
});

test("a value in secrets.env takes the variable's place for commands, and both are redacted", async () => {
  using scratch = new Scratch();
  scratch.file(path.join(scratch.config, "secrets.env"), "API_TOKEN=value-of-the-file-1\n", 0o600);
  for (const settings of [{}, { secrets: ["API_TOKEN"] }]) {
    scratch.settings(settings);
    const env = { API_TOKEN: "value-of-the-environment-2" };
    const command = "echo $API_TOKEN value-of-the-environment-2 value-of-the-file-1";
    const ran = await scratch.agent(["exec", "Bash", `command=${command}`], { env });
    assert.equal(ran.stdout, "<redacted:API_TOKEN> <redacted:API_TOKEN> <redacted:API_TOKEN>\n");
  }
});
