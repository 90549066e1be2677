/** A program of its own: ripgrep in WebAssembly, given the words that ripgrep itself would get. */
import { ripgrep } from "ripgrep";
import { host } from "../../core/runtime.ts";

async function main(): Promise<void> {
  // All of it, as the other one sees it: ignore files above the folder that is searched count too.
  const { code } = await ripgrep([...host.args()], { preopens: { "/": "/" }, env: {} });
  host.exit(code ?? 2);
}

void main();
