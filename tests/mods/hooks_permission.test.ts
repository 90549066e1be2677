/** PermissionRequest hooks: they answer where a call needs a yes. */
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { mergePermission } from "../../src/core/hooks.ts";
import { type Json, Scratch, textOf } from "../support.ts";
import { hook, hooksFlag, onAll, pre, recorded, records, says } from "./hook_scripts.ts";

const answers = (decision: Json) =>
  says({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });

async function writes(scratch: Scratch, flags: string[], file = "new.txt") {
  const { results, stderr } = await scratch.batch([{
    name: "Write",
    args: { file_path: file, content: "x" },
  }], flags);
  return { result: results[0]!, stderr };
}

test("a no beats a yes, and the last input of those who say yes counts", () => {
  const yes = (input?: Json) => ({ behavior: "allow" as const, ...(input && { input }) });
  const no = { behavior: "deny" as const, message: "no", input: { a: 9 } };
  assert.deepEqual(mergePermission([]), { behavior: undefined, message: "", input: undefined });
  assert.deepEqual(mergePermission([yes({ a: 1 }), yes({ a: 2 }), yes()]).input, { a: 2 });
  assert.deepEqual(mergePermission([yes({ a: 1 }), no]), {
    behavior: "deny",
    message: "no",
    input: undefined,
  });
  assert.equal(mergePermission([yes(), { stop: "enough" }]).behavior, "deny");
  assert.equal(mergePermission([{ input: { a: 1 } }]).input, undefined);
});

test("it is asked where the mode asks, after PreToolUse, and not where a rule or the mode has decided", async () => {
  const asked = async (flags: string[], more: Json = {}) => {
    using scratch = new Scratch();
    const hooks = hooksFlag(scratch, {
      PermissionRequest: [{ hooks: [records(scratch, "asked")] }],
      ...more,
    });
    const { result } = await writes(scratch, [...flags, ...hooks]);
    return [result.outcome, recorded(scratch, "asked").length];
  };
  assert.deepEqual(await asked([]), ["denied", 1]);
  assert.deepEqual(await asked(["--ask", "Write"]), ["denied", 1]);
  assert.deepEqual(await asked(["--mode", "acceptEdits"]), ["success", 0]);
  assert.deepEqual(await asked(["--allow", "Write"]), ["success", 0]);
  assert.deepEqual(await asked(["--deny", "Write"]), ["denied", 0]);
  assert.deepEqual(await asked(["--mode", "plan"]), ["denied", 0]);
  assert.deepEqual(await asked(["--mode", "dontAsk"]), ["denied", 0]);
  const ask = [{ hooks: [says(pre({ permissionDecision: "ask" }))] }];
  assert.deepEqual(await asked(["--mode", "acceptEdits"], { PreToolUse: ask }), ["denied", 1]);
});

test("a call that a person typed isn't asked about", async () => {
  using scratch = new Scratch();
  const flags = onAll(scratch, "PermissionRequest", hook("exit 2"));
  const { result } = await scratch.exec(["Write", "file_path=new.txt", "content=x", ...flags]);
  assert.equal(result.outcome, "success");
});

test("its yes is the person's, to a rule that asks too; its no has its message", async () => {
  using scratch = new Scratch();
  const yes = onAll(scratch, "PermissionRequest", answers({ behavior: "allow" }));
  assert.equal((await writes(scratch, ["--ask", "Write", ...yes])).result.outcome, "success");
  const no = onAll(scratch, "PermissionRequest", answers({ behavior: "deny", message: "not today" }));
  assert.match(textOf((await writes(scratch, no, "other.txt")).result), /Cannot run Write: not today/);
  assert.ok(!scratch.exists("other.txt"));
});

test("an input that it rewrites is checked by schema, by deny rules and by rules that ask for more", async () => {
  using scratch = new Scratch();
  const to = (updatedInput: Json) =>
    onAll(scratch, "PermissionRequest", answers({ behavior: "allow", updatedInput }));
  const moved = await writes(scratch, to({ file_path: "moved.txt", content: "y" }));
  assert.equal(moved.result.outcome, "success");
  assert.equal(scratch.read("moved.txt"), "y");
  assert.deepEqual(moved.result.rewritten.by, ["a PermissionRequest hook"]);
  const wrong = await writes(scratch, to({ file_path: 7 }));
  assert.equal(wrong.result.outcome, "invalid");
  assert.match(textOf(wrong.result), /rewritten by a PermissionRequest hook/);
  const secret = to({ file_path: "secret.txt", content: "y" });
  const refused = await writes(scratch, ["--deny", "Write(secret.txt)", ...secret]);
  assert.match(textOf(refused.result), /deny rule "Write\(secret\.txt\)"/);
  const asked = await writes(scratch, ["--ask", "Write(secret.txt)", ...secret]);
  assert.match(textOf(asked.result), /nobody said yes \(the ask rule "Write\(secret\.txt\)"/);
  assert.ok(!scratch.exists("secret.txt") && !scratch.exists("new.txt"));
});

test("its yes doesn't open the files that say what runs here", async () => {
  using scratch = new Scratch();
  const yes = onAll(scratch, "PermissionRequest", answers({ behavior: "allow" }));
  const { result } = await writes(scratch, yes, path.join(scratch.config, "settings.json"));
  assert.equal(result.outcome, "denied");
  assert.ok(!scratch.exists(path.join(scratch.config, "settings.json")));
});

test("one that fails leaves the question open, and is a no where it is to block", async () => {
  using scratch = new Scratch();
  const open = await writes(
    scratch,
    onAll(scratch, "PermissionRequest", hook("exit 1"), answers({ behavior: "allow" })),
  );
  assert.equal(open.result.outcome, "success");
  assert.match(open.stderr, /exit code 1; all goes on without it/);
  const shut = await writes(
    scratch,
    onAll(
      scratch,
      "PermissionRequest",
      hook("exit 1", { onFailure: "block" }),
      answers({ behavior: "allow" }),
    ),
    "other.txt",
  );
  assert.equal(shut.result.outcome, "denied");
  assert.match(shut.stderr, /the call is blocked/);
});

test("an answer that is only nearly right is a failure, and a clear no in it still holds", async () => {
  const nearly: [Json, RegExp, string][] = [
    [{ behavior: "yes" }, /its behavior is "yes", not allow or deny/, "denied"],
    [{ behavior: "allow", updatedInput: [] }, /its updatedInput is \[\], not an object/, "denied"],
    [{ behavior: "deny", message: 5 }, /its message is 5, not a string/, "denied"],
    [{ allow: true }, /its decision has no field that is known, only "allow"/, "denied"],
  ];
  for (const [decision, told, outcome] of nearly) {
    using scratch = new Scratch();
    const { result, stderr } = await writes(scratch, onAll(scratch, "PermissionRequest", answers(decision)));
    assert.equal(result.outcome, outcome);
    assert.match(stderr, told);
  }
});

test("in a sequential group each sees the input as rewritten so far, and a no ends it", async () => {
  using scratch = new Scratch();
  const flags = hooksFlag(scratch, {
    PermissionRequest: [{
      sequential: true,
      hooks: [
        answers({ behavior: "allow", updatedInput: { file_path: "b.txt", content: "b" } }),
        records(scratch, "second"),
        answers({ behavior: "deny" }),
        records(scratch, "fourth"),
      ],
    }],
  });
  const { result } = await writes(scratch, flags);
  assert.equal(result.outcome, "denied");
  assert.equal(recorded(scratch, "second")[0]!.tool_input.file_path, "b.txt");
  assert.deepEqual(recorded(scratch, "fourth"), []);
});

test("plugins judge what such a hook makes of the call, and the log says which one said no", async () => {
  using scratch = new Scratch();
  scratch.plugin(
    "guard",
    `agent.on("permission", (call) => call.args.path.endsWith("other.txt") ? { deny: "not there" } : undefined);`,
    `uses: ["permission"],`,
  );
  const yes = answers({
    behavior: "allow",
    updatedInput: { file_path: path.join(scratch.work, "other.txt"), content: "x" },
  });
  const flags = ["--plugins", "p", "--jsonl", ...onAll(scratch, "PermissionRequest", yes)];
  const { results } = await scratch.batch([
    { name: "Write", args: { file_path: "new.txt", content: "x" } },
  ], flags);
  const end = results.find(({ type }) => type === "tool_end")!;
  assert.equal(end.outcome, "denied");
  assert.match(textOf(end), /not there/);
  assert.equal(scratch.exists("other.txt"), false);
  const no = end.trail.findLast(({ did }: Json) => did === "denied");
  assert.deepEqual([no.by, no.reason], ['plugin "guard"', "not there"]);
});
