/**
 * Makes src/core/redact_pass_code.ts of src/core/redact_pass.wat. Needed after a change of the source only, so its
 * assembler is no dependency:
 *
 *     npx --yes --package wabt@1 node scripts/wasm.mjs
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const core = path.resolve(import.meta.dirname, "../src/core");
const source = path.join(core, "redact_pass.wat");
const scratch = mkdtempSync(path.join(tmpdir(), "agent-wasm-"));
try {
  const file = path.join(scratch, "pass.wasm");
  const { status } = spawnSync("wat2wasm", [source, "-o", file], { stdio: "inherit" });
  if (status !== 0) throw new Error("Cannot assemble redact_pass.wat: wat2wasm failed or isn't there");
  const hash = createHash("sha256").update(readFileSync(source)).digest("hex");
  const lines = readFileSync(file).toString("base64").match(/.{1,100}/g);
  const code = `/** Made from redact_pass.wat by scripts/wasm.mjs. */

/** The SHA-256 of the source. */
export const PASS_SOURCE = "${hash}";

/** A WebAssembly module, in base64. */
export const PASS_CODE =
${lines.map((line) => `  "${line}"`).join(" +\n")};
`;
  writeFileSync(path.join(core, "redact_pass_code.ts"), code);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
