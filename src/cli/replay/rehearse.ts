/** Makes a recorded call again, with today's plugins and hooks, while what it gave then stands in for its tool. */
import type { Runtime, RuntimeParts } from "../../agent.ts";
import { accept } from "../../core/accept.ts";
import { TurnPlace } from "../../core/context.ts";
import { textOf } from "../../core/result.ts";
import { host } from "../../core/runtime.ts";
import type { SettingName } from "../../core/settings.ts";
import type { StreamEvent } from "../../core/stream.ts";
import type { Turn } from "../../core/turn.ts";
import type { Invocation } from "../command.ts";
import { openRuntime, settingsInForce } from "../open.ts";
import { sameJson } from "./expect.ts";
import { type Recorded, responseOf, wentUnasked } from "./recorded.ts";

/** In one word, what became of the call on its way; the first that fits. */
export type Did = "denied" | "answered" | "rewritten" | "changed" | "unchanged" | "unknown" | "invalid";

export interface Rehearsed {
  did: Did;
  outcome: string;
  /** The text of the result. */
  text: string;
  /** Canonical, as the tool would get them; absent where they never passed. */
  args: Record<string, unknown> | undefined;
  /** The same before anybody changed them. */
  argsBefore: Record<string, unknown> | undefined;
  /** Who changed arguments or result. */
  by: readonly string[];
  /** Why somebody would be asked, where nobody was then. */
  asks?: string;
}

export interface Stage {
  runtime: Runtime;
  /** The turn for a call that was made in `cwd`. */
  turnIn(cwd: string | undefined): Promise<Turn>;
  /** `args`: the call is run, with these. */
  rehearse(call: Recorded, args?: unknown): Promise<Rehearsed>;
  /** Tools were added: turns are to be made anew. */
  renew(): void;
  /** What was complained about since the last time it was asked. */
  complaints(): string[];
}

/** What a rehearsal is held with. */
export interface Given {
  plugins?: readonly string[];
  settings?: readonly [SettingName, unknown][];
  cwd?: string;
  /** Complaints aren't printed. */
  quiet?: boolean;
}

type Ended = Extract<StreamEvent, { type: "tool_end" }>;

/** A runtime that leaves nothing behind: no log, and a folder for a while in place of the user's. */
export async function onStage<T>(
  invocation: Invocation,
  namedOnly: boolean,
  more: Given,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const { settings = [], quiet, ...parts } = more;
  const folder = temporary("agent-rehearsal-");
  let complaints: string[] = [];
  let ended: Ended | undefined;
  const runtimeParts: Partial<RuntimeParts> = {
    ...parts,
    settings: await settingsInForce(invocation, [
      ["log.enabled", false],
      ...settings,
    ]),
    rehearsal: { folder, namedOnly },
    warn: (text) => {
      complaints.push(text);
      if (!quiet) invocation.printer.warn(text);
    },
    onEvent: (event) => {
      if (event.type === "tool_end") ended = event;
    },
  };
  const runtime = await openRuntime(invocation, runtimeParts);
  const turns = new Map<string, Promise<Turn>>();
  const turnIn = (wanted?: string) => {
    const cwd = wanted !== undefined && host.files.exists(wanted) ? wanted : runtime.session.cwd;
    const turn = turns.get(cwd) ?? runtime.prepareTurn({ open: true, cwd });
    turns.set(cwd, turn);
    return turn;
  };
  try {
    await runtime.start();
    return await work({
      runtime,
      turnIn,
      renew: () => turns.clear(),
      complaints: () => {
        const said = complaints;
        complaints = [];
        return said;
      },
      rehearse: async (call, run) => {
        const turn = await turnIn(call.cwd);
        const { id, name, args, origin, parent, given } = call;
        // Whoever was asked then answers the same now; a yes that nobody gave runs nothing.
        const saidThen = call.end?.asked ?? (run === undefined ? undefined : call.askedWithin);
        let asks: string | undefined;
        const ask = ({ reason }: { reason: string }) => {
          if (saidThen === undefined && wentUnasked(call)) asks ??= reason;
          return Promise.resolve(saidThen ?? run === undefined);
        };
        const standIn = { parent, result: given ?? { content: "" }, response: responseOf(given) };
        await runtime.call(
          turn,
          { name, args: run ?? args, ...(id !== undefined && { id }) },
          { origin, ask, ...(run === undefined && { standIn }) },
        );
        const came = await told(turn, { ...call, args: run ?? args }, ended!);
        return asks === undefined ? came : { ...came, asks };
      },
    });
  } finally {
    await runtime.close();
    host.files.removeTree(folder);
  }
}

async function told(turn: Turn, call: Recorded, ended: Ended): Promise<Rehearsed> {
  const { outcome, rewritten, changedBy = [], notes = 0, notices = 0 } = ended;
  const argsBefore = await canonical(turn, call);
  const args = rewritten ? rewritten.args as Record<string, unknown> : argsBefore;
  const isRewritten = rewritten !== undefined && !sameJson(args, argsBefore);
  const gates: Partial<Record<string, Did>> = {
    denied: "denied",
    answered: "answered",
    unknown: "unknown",
    invalid: call.end?.outcome === "invalid" ? undefined : "invalid",
  };
  const did = gates[outcome] ??
    (isRewritten ? "rewritten" : changedBy.length + notes > 0 ? "changed" : "unchanged");
  const by = [...rewritten?.by ?? [], ...changedBy];
  const content = notices > 0 ? ended.content.slice(0, -notices) : ended.content;
  return { did, outcome, text: textOf(content), args, argsBefore, by };
}

async function canonical(turn: Turn, { name, args }: Recorded): Promise<Record<string, unknown> | undefined> {
  const entry = turn.find(name);
  if (!entry) return undefined;
  try {
    const accepted = await accept(entry, args, new TurnPlace(turn.session.cwd), name);
    return turn.gate.redactor.redactJson(accepted.args);
  } catch {
    return undefined;
  }
}

/** A new folder for a while. */
export function temporary(prefix: string): string {
  const { tmpdir } = host.builtin<typeof import("node:os")>("node:os");
  const { mkdtempSync } = host.builtin<typeof import("node:fs")>("node:fs");
  return mkdtempSync(`${tmpdir()}/${prefix}`);
}
