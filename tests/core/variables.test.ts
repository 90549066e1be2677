/** Which variables a command's text names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SecretStore } from "../../src/core/secrets.ts";
import { variablesIn } from "../../src/core/variables.ts";

test("a variable is named as each shell writes it, and only whole", () => {
  const named = (command: string) => [...variablesIn(command)].sort();
  assert.deepEqual(named('echo $A ${B} ${C:-d} ${#D} ${!E} "$F"G $$H a$I-b'), [..."ABCDEFHI"]);
  assert.deepEqual(named("echo $GH_TOKEN2 ${my_key}"), ["GH_TOKEN2", "my_key"]);
  assert.deepEqual(named("Write-Output $env:KEY ${Env:OTHER}"), ["KEY", "OTHER", "env"]);
  assert.deepEqual(named("costs 5$, $1 $? $( KEY ) \\KEY"), []);
});

test("a secret is given to a command that names it for PowerShell", () => {
  const store = new SecretStore([{ name: "DEPLOY", value: "hunter2-hunter2" }]);
  assert.deepEqual(store.namedIn("curl -H $env:DEPLOY"), { DEPLOY: "hunter2-hunter2" });
  assert.deepEqual(store.namedIn("curl -H $env:DEPLOYED"), {});
});
