/** `agent tools`: what a model sees. */
import { takeHead } from "../../core/fit.ts";
import type { Entry } from "../../core/registry.ts";
import type { Turn } from "../../core/turn.ts";
import type { Invocation } from "../command.ts";
import { surfaceOptions, withRuntime } from "../open.ts";

export function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  return withRuntime(invocation, async (runtime) => {
    const turn = await runtime.prepareTurn(surfaceOptions(flags));
    const tools = turn.clientTools();
    if (flags.has("cost")) {
      const rows = tools.map((tool) => ({ name: tool.name, bytes: bytesOf(tool) }));
      const total = { toolset: turn.toolset, tools: rows, bytes: bytesOf(tools), sha256: turn.surfaceHash() };
      if (flags.has("json")) printer.json(total);
      else {
        for (const { name, bytes } of rows) printer.line(`${String(bytes).padStart(7)}  ${name}`);
        printer.line(
          `${String(total.bytes).padStart(7)}  in all, ${rows.length} tools, sha256 ${
            total.sha256.slice(0, 16)
          }`,
        );
      }
    } else if (flags.has("json")) printer.json(tools);
    else for (const line of describe(turn, runtime.registry.entries())) printer.line(line);
    return 0;
  });
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function describe(turn: Turn, all: readonly Entry[]): string[] {
  const width = Math.max(8, ...turn.surface.map(({ name }) => name.length));
  return turn.surface.map((entry) => {
    const others = all.filter(({ name, tool }) => name === entry.name && tool !== entry.tool);
    const behind = [...new Set(others.map(({ source }) => source))];
    const before = behind.length === 0 ? "" : `, before: ${behind.join(", ")}`;
    const origin = entry.tier === "builtin" ? "" : `  [${entry.tier}: ${entry.source}${before}]`;
    return `${entry.name.padEnd(width)}  ${firstLine(entry.description, 100)}${origin}`;
  });
}

/** Cut with a mark, where there is more. */
function firstLine(text: string, most: number): string {
  const [line] = text.split("\n") as [string];
  return line.length > most ? `${takeHead(line, most - 1)}…` : line;
}
