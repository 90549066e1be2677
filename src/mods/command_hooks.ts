/** Command hooks: which are concerned, how they are run, and what their answers come to. */
import { messageOf, quote } from "../core/errors.ts";
import {
  type HookCall,
  type HookEvent,
  type Hooks,
  mergePost,
  mergePre,
  type PostAnswer,
  type PreAnswer,
} from "../core/hooks.ts";
import { host } from "../core/runtime.ts";
import { type ProcessGroups, run as runProcess } from "../shell/process.ts";
import { Capture } from "./capture.ts";
import {
  ANSWER_MB,
  type HookRun,
  postAnswer,
  preAnswer,
  sessionContext,
  understand,
  type Understood,
} from "./hook_answer.ts";
import type { CommandHook, HookGroup } from "./hook_config.ts";

export interface CommandHooksParts {
  hooks: readonly HookGroup[];
  /** A failing hook blocks, unless it says otherwise itself. */
  failClosed: boolean;
  transcript: string;
  groups: ProcessGroups;
  /** Does a hook's own permission rule (`if`) fit the call? */
  ruleFits(rule: string, call: HookCall): Promise<boolean>;
  /** Texts over 10,000 characters go to a file; what comes back is a preview with its path. */
  shorten(text: string): string;
  /** A loud notice: a hook failed. */
  complain(text: string): void;
}

/** How long hooks in the background may go on after the session's end. */
const BACKGROUND_GRACE_MS = 5000;

/** A hook that is about to run. */
interface Due extends CommandHook {
  /** Its failure blocks. */
  blocks: boolean;
}

interface Picked {
  group: HookGroup;
  hooks: Due[];
}

/** What hooks that are asked about a call are told, and how their answers are read. */
interface Question<T> {
  event: HookEvent;
  /** Beside what every hook is told; from the answers of those before it in a sequential group. */
  fields(before: readonly T[]): Record<string, unknown>;
  read(understood: Understood, stderr: string): T;
  /** The answer that a failure stands for where it blocks. */
  blocked(reason: string): T;
  /** Ends a sequential group. */
  ends?(answer: T): boolean;
}

export class CommandHooks implements Hooks {
  readonly #parts: CommandHooksParts;
  readonly #byEvent = new Map<HookEvent, HookGroup[]>();
  /** Hooks in the background, by what they run. */
  readonly #background = new Map<string, Promise<unknown>>();

  constructor(parts: CommandHooksParts) {
    this.#parts = parts;
    for (const group of parts.hooks) {
      const same = this.#byEvent.get(group.event);
      if (same) same.push(group);
      else this.#byEvent.set(group.event, [group]);
    }
  }

  wants(event: HookEvent): boolean {
    return this.#byEvent.has(event);
  }

  pre(call: HookCall) {
    return this.#ask<PreAnswer>(call, {
      event: "PreToolUse",
      fields: (before) => ({ tool_input: before.findLast(({ input }) => input)?.input ?? call.view.input }),
      read: preAnswer,
      blocked: (reason) => ({ decision: "deny", reason }),
      ends: ({ decision, stop }) => decision === "deny" || stop !== undefined,
    })?.then(mergePre);
  }

  post(call: HookCall, response: unknown, durationMs: number) {
    return this.#after("PostToolUse", call, { tool_response: response, duration_ms: Math.round(durationMs) });
  }

  failure(call: HookCall, error: string, interrupted: boolean, durationMs: number) {
    const fields = { error, is_interrupt: interrupted, duration_ms: Math.round(durationMs) };
    return this.#after("PostToolUseFailure", call, fields);
  }

  #after(event: HookEvent, call: HookCall, fields: Record<string, unknown>) {
    return this.#ask<PostAnswer>(call, {
      event,
      fields: () => ({ tool_input: call.view.input, ...fields }),
      read: postAnswer,
      blocked: (feedback) => ({ feedback }),
    })?.then(mergePost);
  }

  #ask<T extends PreAnswer | PostAnswer>(call: HookCall, question: Question<T>): Promise<T[]> | undefined {
    const { event, fields, read, blocked, ends } = question;
    const picked = this.#pick(event, call.names);
    if (picked.length === 0) return undefined;
    const common = { ...this.#common(event, call.session), ...toolFields(call) };
    return collect(picked, async (hook, group, before: readonly T[]) => {
      if (hook.if !== undefined && !await this.#parts.ruleFits(hook.if, call)) return {} as T;
      const payload = { ...common, ...fields(before) };
      const { understood, stderr } = await this.#run(hook, group, payload, call.session, call.signal);
      if (understood.failure === undefined || !hook.blocks) return this.#shortened(read(understood, stderr));
      return blocked(`the hook ${quote(hook.command)} failed: ${understood.failure}`);
    }, ends);
  }

  session(event: "SessionStart" | "SessionEnd", detail: string, session: HookCall["session"]) {
    const picked = this.#pick(event, [detail]);
    if (picked.length === 0) {
      return event === "SessionEnd" && this.#background.size > 0 ? this.#settle() : undefined;
    }
    const field = event === "SessionStart" ? { source: detail } : { reason: detail };
    const payload = { ...this.#common(event, session), ...field };
    return collect(picked, async (hook, group) => {
      const { understood } = await this.#run(hook, group, payload, session);
      return sessionContext(understood);
    }).then(async (contexts) => {
      if (event === "SessionEnd") await this.#settle();
      return contexts.flatMap((context) => context === undefined ? [] : [this.#parts.shorten(context)]);
    });
  }

  /** Hooks in the background may end on their own, but not outlive the session by long. */
  async #settle(): Promise<string[]> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => timer = setTimeout(resolve, BACKGROUND_GRACE_MS));
    await Promise.race([late, Promise.all(this.#background.values())]);
    clearTimeout(timer);
    for (const command of this.#background.keys()) {
      this.#parts.complain(
        `hook ${quote(command)} still runs in the background and is ended with the session`,
      );
    }
    return [];
  }

  /** The concerned hooks by group. The same command from two places runs once. */
  #pick(event: HookEvent, names: readonly string[]): Picked[] {
    const seen = new Map<string, Due>();
    const picked: Picked[] = [];
    for (const group of this.#byEvent.get(event) ?? []) {
      if (!names.some((name) => group.matches(name))) continue;
      const hooks = group.hooks.flatMap((hook) => {
        const key = JSON.stringify([hook.command, hook.args, hook.if, hook.async]);
        const same = seen.get(key);
        if (same) {
          // One run stands for both, so the stricter failure mode holds.
          same.blocks ||= hook.onFailure === "block";
          return [];
        }
        const once = { ...hook, blocks: this.#parts.failClosed || hook.onFailure === "block" };
        seen.set(key, once);
        return [once];
      });
      if (hooks.length > 0) picked.push({ group, hooks });
    }
    return picked;
  }

  #common(event: HookEvent, session: HookCall["session"]) {
    return {
      session_id: session.id,
      transcript_path: this.#parts.transcript,
      cwd: session.cwd,
      hook_event_name: event,
      permission_mode: session.mode,
    };
  }

  async #run(
    hook: Due,
    group: HookGroup,
    payload: object,
    session: HookCall["session"],
    signal?: AbortSignal,
  ): Promise<{ understood: Understood; stderr: string }> {
    const running = this.#start(hook, payload, session.project, signal);
    if (hook.async) {
      this.#inBackground(
        hook,
        running.then((ended) => this.#tell(hook, group, understand(ended, group.event))),
      );
      return { understood: NOTHING_SAID, stderr: "" };
    }
    const ended = await running;
    const understood = understand(ended, group.event);
    this.#tell(hook, group, understood);
    return { understood, stderr: ended.stderr };
  }

  #inBackground(hook: Due, work: Promise<void>): void {
    const key = [hook.command, ...hook.args ?? []].join(" ");
    const all = Promise.all([this.#background.get(key), work]);
    this.#background.set(key, all);
    void all.then(() => {
      if (this.#background.get(key) === all) this.#background.delete(key);
    });
  }

  /** Says what a hook has to say to the person, and that it failed. */
  #tell(hook: Due, { event, source }: HookGroup, { message, failure }: Understood): void {
    const { complain, shorten } = this.#parts;
    const name = `hook ${quote(hook.command)} (${event}, ${source})`;
    if (message !== undefined) complain(`${name}: ${shorten(message)}`);
    if (failure === undefined) return;
    const stopped = event === "PreToolUse" && hook.blocks && !hook.async;
    complain(`${name} failed: ${failure}; ${stopped ? "the call is blocked" : "all goes on without it"}`);
  }

  async #start(
    hook: CommandHook,
    payload: object,
    project: string,
    signal: AbortSignal | undefined,
  ): Promise<HookRun> {
    const capture = new Capture({ stdoutMb: ANSWER_MB });
    const argv = hook.args ? [hook.command, ...hook.args] : ["/bin/sh", "-c", hook.command];
    try {
      const ended = await runProcess({
        argv,
        cwd: project,
        env: { ...host.envAll(), CLAUDE_PROJECT_DIR: project, AGENT_PROJECT_DIR: project },
        timeoutMs: hook.timeoutMs,
        // Its own: Node warns of more than ten listeners on one signal.
        signal: signal && AbortSignal.any([signal]),
        input: JSON.stringify(payload) + "\n",
        onOutput: (chunk, stream) => capture.push(chunk, stream),
      }, this.#parts.groups);
      return {
        exitCode: ended.why === "exit" ? ended.exitCode : undefined,
        signal: ended.signal,
        timedOut: ended.why === "timeout",
        tooLong: capture.cut("stdout"),
        stdout: capture.text("stdout"),
        stderr: capture.text("stderr"),
      };
    } catch (error) {
      const missing = messageOf(error);
      const nothing = { exitCode: undefined, signal: undefined, timedOut: false, tooLong: false };
      return { ...nothing, missing, stdout: "", stderr: "" };
    }
  }

  #shortened<T extends PreAnswer | PostAnswer>(answer: T): T {
    // A decision is a word, and a new output stands in the result's place, under the tool's own limit.
    const entries = Object.entries(answer).map(([key, value]) => {
      const long = typeof value === "string" && key !== "decision" && key !== "output";
      return [key, long ? this.#parts.shorten(value) : value];
    });
    return Object.fromEntries(entries);
  }
}

const NOTHING_SAID: Understood = {
  json: undefined,
  message: undefined,
  plain: "",
  blocks: false,
  failure: undefined,
};

function toolFields(call: HookCall) {
  return { tool_name: call.view.name, tool_use_id: call.id, agent: call.agent };
}

/** Asks all hooks of all groups at once, those of a sequential group in turn; the answers come in declared order. */
async function collect<T>(
  picked: readonly Picked[],
  ask: (hook: Due, group: HookGroup, before: readonly T[]) => Promise<T>,
  ends: (answer: T) => boolean = () => false,
): Promise<T[]> {
  const answers = await Promise.all(picked.map(async ({ group, hooks }) => {
    if (!group.sequential) return await Promise.all(hooks.map((hook) => ask(hook, group, [])));
    const inTurn: T[] = [];
    for (const hook of hooks) {
      const answer = await ask(hook, group, inTurn);
      inTurn.push(answer);
      if (ends(answer)) break;
    }
    return inTurn;
  }));
  return answers.flat();
}
