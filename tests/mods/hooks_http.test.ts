/** Hooks of the type `http`, with a real server. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type Json, Scratch, textOf } from "../support.ts";
import { hooksFlag, onAll, pre } from "./hook_scripts.ts";

interface Asked {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A server that answers as `answer` does, and keeps what it was asked. */
class Hooked {
  readonly asked: Asked[] = [];
  readonly #server: Server;

  private constructor(answer: (response: ServerResponse, asked: Asked) => void) {
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => body += chunk).on("end", () => {
        const { method, url, headers } = request;
        const asked = { method, url, headers, body };
        this.asked.push(asked);
        answer(response, asked);
      });
    });
  }

  static async start(answer: (response: ServerResponse, asked: Asked) => void): Promise<Hooked> {
    const hooked = new Hooked(answer);
    await new Promise<void>((resolve) => hooked.#server.listen(0, "127.0.0.1", resolve));
    return hooked;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A Read with one http hook, and what the server was asked. */
async function readWith(
  answer: (response: ServerResponse, asked: Asked) => void,
  more: Json = {},
  env: Record<string, string> = {},
) {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const server = await Hooked.start(answer);
  try {
    const one = { type: "http", url: server.url, ...more };
    const flags = onAll(scratch, "PreToolUse", one);
    const ran = await scratch.exec(["Read", "file_path=a.txt", ...flags], { env });
    return { ...ran, asked: server.asked };
  } finally {
    await server.stop();
  }
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof value === "string" ? value : JSON.stringify(value));
}

test("an http hook is sent the same JSON as a command by POST, and its answer is read like standard output", async () => {
  const no = pre({ permissionDecision: "deny", permissionDecisionReason: "server says no" });
  const { result, asked, stderr } = await readWith((response) => json(response, no));
  assert.equal(result.outcome, "denied");
  assert.match(textOf(result), /server says no/);
  assert.equal(stderr, "");
  const [{ method, url, headers, body }] = asked as [Asked];
  assert.deepEqual([method, url, headers["content-type"]], ["POST", "/hook", "application/json"]);
  const payload = JSON.parse(body);
  assert.equal(payload.hook_event_name, "PreToolUse");
  assert.equal(payload.tool_name, "Read");
  assert.match(payload.tool_input.file_path, /a\.txt$/);
  assert.equal(payload.agent.tool, "read_file");
});

test("an empty answer of a server is no opinion, whatever its 2xx is", async () => {
  for (const status of [200, 202, 204]) {
    const { result, stderr } = await readWith((response) => json(response, "", status));
    assert.equal(textOf(result), "1\tone", `${status}`);
    assert.equal(stderr, "");
  }
});

const failing: [name: string, answer: (response: ServerResponse) => void, told: RegExp, more?: Json][] = [
  ["answers with 500", (response) => json(response, { decision: "block" }, 500), /HTTP 500/],
  ["answers with 404", (response) => json(response, "", 404), /HTTP 404/],
  ["redirects by 302", (response) => response.writeHead(302, { location: "/x" }).end(), /HTTP 302/],
  ["answers with text", (response) => json(response, "ok"), /its answer is no JSON/],
  ["answers with half of JSON", (response) => json(response, '{"decision":'), /JSON is malformed/],
  [
    "answers with what is only nearly right",
    (response) => json(response, { decision: "ask" }),
    /"ask", not approve or block/,
  ],
  ["hangs up", (response) => response.destroy(), /can't be reached/],
  ["never answers", () => {}, /out of time/, { timeout: 0.3 }],
  [
    "never ends its answer",
    (response) => void response.writeHead(200).write('{"decision":'),
    /out of time/,
    { timeout: 0.3 },
  ],
  [
    "sends more than is looked at",
    (response) => response.end(`{"decision":"block","reason":"${"x".repeat(17_000_000)}"}`),
    /its answer is too long: more than 16 MB/,
  ],
];
for (const [name, answer, told, more] of failing) {
  test(`a server that ${name} has failed: loudly, and blocking where it is told to`, async () => {
    const open = await readWith(answer, more);
    assert.equal(textOf(open.result), "1\tone");
    assert.match(open.stderr, told);
    const closed = await readWith(answer, { ...more, onFailure: "block" });
    assert.equal(closed.result.outcome, "denied");
    assert.match(closed.stderr, told);
  });
}

test("a server that isn't there has failed", async () => {
  using scratch = new Scratch();
  scratch.file("a.txt", "one\n");
  const server = await Hooked.start(() => {});
  const { url } = server;
  await server.stop();
  const flags = onAll(scratch, "PreToolUse", { type: "http", url });
  const { result, stderr } = await scratch.exec(["Read", "file_path=a.txt", ...flags]);
  assert.equal(textOf(result), "1\tone");
  assert.match(stderr, /hook "http:\/\/127\.0\.0\.1.*failed: it can't be reached: .*refused/i);
});

test("headers get the variables that allowedEnvVars names, and no others", async () => {
  const headers = {
    Authorization: "Bearer $MY_TOKEN",
    "X-Other": "[${OTHER}]",
    "X-Both": "${MY_TOKEN}-$OTHER",
  };
  const { asked, stderr } = await readWith(
    (response) => json(response, ""),
    { headers, allowedEnvVars: ["MY_TOKEN"] },
    { MY_TOKEN: "abc", OTHER: "secret" },
  );
  const [{ headers: sent }] = asked as [Asked];
  assert.equal(sent.authorization, "Bearer abc");
  assert.equal(sent["x-other"], "[]");
  assert.equal(sent["x-both"], "abc-");
  assert.match(stderr, /\$OTHER in the header X-Other .* allowedEnvVars doesn't name it/);
});

test("a header that can't be sent is a failure that doesn't show its value", async () => {
  const { asked, stderr } = await readWith(
    (response) => json(response, ""),
    { headers: { "X-Key": "$MY_VALUE" }, allowedEnvVars: ["MY_VALUE"] },
    { MY_VALUE: "first\nsecond" },
  );
  assert.deepEqual(asked, []);
  assert.match(stderr, /the value of its header X-Key is none that can be sent/);
  assert.doesNotMatch(stderr, /second/);
});

test("a redirection on the same server is followed with the call, one to another server is a failure", async () => {
  const moved = (response: ServerResponse, { url }: Asked) =>
    url === "/hook"
      ? void response.writeHead(307, { location: "/there" }).end()
      : json(response, { decision: "block", reason: "arrived" });
  const same = await readWith(moved);
  assert.match(textOf(same.result), /arrived/);
  assert.deepEqual(same.asked.map(({ url, method, body }) => [url, method, body.length > 100]), [
    ["/hook", "POST", true],
    ["/there", "POST", true],
  ]);
  const stranger = await Hooked.start((response) => json(response, { decision: "block" }));
  try {
    const away = await readWith((response) => void response.writeHead(307, { location: stranger.url }).end());
    assert.equal(textOf(away.result), "1\tone");
    assert.match(away.stderr, /sends the call on to another server/);
    assert.deepEqual(stranger.asked, []);
  } finally {
    await stranger.stop();
  }
  const circles = await readWith((response) => void response.writeHead(308, { location: "/hook" }).end());
  assert.match(circles.stderr, /in circles/);
});

test("what is wrong with an http hook is one clear error", async () => {
  const wrong: [Json, RegExp][] = [
    [{}, /an http hook of PreToolUse has no url/],
    [{ url: "somewhere" }, /the url "somewhere", which is none/],
    [{ url: "file:///etc/passwd" }, /neither http nor https/],
    [{ url: "http://me:pw@localhost/" }, /a name or a password in its url/],
    [{ url: "http://localhost/", headers: { a: 1 } }, /headers that are no texts/],
    [{ url: "http://localhost/", headers: { "a b": "c" } }, /"a b", which is no name/],
    [{ url: "http://localhost/", allowedEnvVars: "X" }, /no list of texts/],
  ];
  for (const [given, message] of wrong) {
    using scratch = new Scratch();
    const flags = hooksFlag(scratch, { PreToolUse: [{ hooks: [{ type: "http", ...given }] }] });
    const ran = await scratch.agent(["exec", "Read", "file_path=a.txt", ...flags]);
    assert.equal(ran.code, 2);
    assert.match(ran.stderr, message);
  }
});

test("the query of a hook's address, which may hold a key, isn't shown", async () => {
  using scratch = new Scratch();
  const flags = onAll(scratch, "PreToolUse", { type: "http", url: "http://localhost/x?key=hunter2" });
  const { stdout } = await scratch.agent(["hooks", "list", ...flags]);
  assert.match(stdout, /http:\/\/localhost\/x {2}\(600 s, http\)/);
  assert.doesNotMatch(stdout, /hunter2/);
});
