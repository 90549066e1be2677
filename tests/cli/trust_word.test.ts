/** What `agent trust` says where it can't ask: the very command that takes what was shown, and no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Scratch } from "../support.ts";

test("trust --user that can't ask names trust --user --yes, not the trust of the project", async () => {
  using scratch = new Scratch();
  const hooks = (word: string) => ({
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `echo ${word}` }] }] },
  });
  const options = { env: { AGENT_TRUST_PIN_USER: undefined } };
  scratch.settings(hooks("one"));
  await scratch.agent(["exec", "Bash", "command=true"], options);
  scratch.settings(hooks("two"));
  const { stderr, code } = await scratch.agent(["trust", "--user"], options);
  assert.equal(code, 1);
  assert.match(stderr, /so nothing has changed; agent trust --user --yes trusts what stands here/);
});
