/**
 * The composition root: settings → tools, plugins, hooks → a runtime that prepares turns and runs calls.
 */
import { type CallOptions, type CallRequest, runCall } from "./core/call.ts";
import { dirs } from "./core/dirs.ts";
import { AgentError, messageOf, nearest, quote, UsageError } from "./core/errors.ts";
import { type HandlerLimits, type Handlers, NO_HANDLERS, runChain, runNotify } from "./core/events.ts";
import type { Family } from "./core/face.ts";
import { cut } from "./core/fit.ts";
import { Gate } from "./core/gate.ts";
import { randomHex } from "./core/hash.ts";
import { type HookCall, type Hooks, NO_HOOKS } from "./core/hooks.ts";
import { localFiles } from "./core/local_files.ts";
import { CallLog } from "./core/log.ts";
import { OverflowStore } from "./core/overflow.ts";
import { join, realPath } from "./core/paths.ts";
import {
  type Matchers,
  type Mode,
  parseRule,
  Policy,
  type Rule,
  rulesWithoutTool,
} from "./core/permission.ts";
import { redactor } from "./core/redact.ts";
import { type Entry, Registry } from "./core/registry.ts";
import { type Result, stamp, unknownTool } from "./core/result.ts";
import { host } from "./core/runtime.ts";
import { Schedule } from "./core/schedule.ts";
import type { JsonSchema } from "./core/schema.ts";
import { loadSecrets } from "./core/secrets.ts";
import { Session } from "./core/session.ts";
import type { Settings } from "./core/settings.ts";
import { type Sink, STREAM_VERSION, type StreamEvent } from "./core/stream.ts";
import type { Context, Traits } from "./core/tool.ts";
import { makeTurn, surfaceOf, type Turn } from "./core/turn.ts";
import { Watchdog } from "./core/watchdog.ts";
import { ASSETS } from "./generated/tools.ts";
import type { ModHost, ModStatus } from "./mods/host.ts";
import { findPlugins } from "./mods/places.ts";
import { Environment } from "./shell/environment.ts";
import { ProcessGroups } from "./shell/process.ts";
import { builtins } from "./tools/builtins.ts";
import { familyOf, inToolset } from "./tools/toolsets.ts";
import { VERSION } from "./version.ts";

export interface RuntimeParts {
  settings: Settings;
  cwd: string;
  /** A named session is joined: its log goes on. */
  session?: string;
  /** Folders of `--plugins`, before the user's. */
  plugins?: readonly string[];
  /** Files of `--hooks`. */
  hookFiles?: readonly string[];
  /** Rules of the command line, before those of settings. */
  rules?: readonly Rule[];
  /** Everything the log holds, as it happens. */
  onEvent?: Sink;
  /** Late errors of plugins are told of instead of ending the process. A host decides for itself. */
  catchStrays?: boolean;
  /** Diagnostics for people. */
  warn(text: string): void;
}

/** A tool whose work is done elsewhere: an MCP server's, an SDK host's. */
export interface ExternalTool {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  /** Where it comes from, for people. */
  source?: string;
  /** Hidden unless a turn chooses this scope. */
  scope?: string;
  /** What it does; absent: it may do anything, and runs alone. */
  traits?: Traits;
  execute(args: Record<string, unknown>, context: Context): unknown;
}

export interface TurnOptions {
  toolset?: string;
  /** Names from everything there is, instead of a toolset. */
  tools?: readonly string[];
  /** Scopes of external tools that this turn shows. */
  scopes?: readonly string[];
  cwd?: string;
  mode?: Mode;
  /** A model's turn calls what it was shown; a person may call any tool. */
  open?: boolean;
}

/** Turns that are kept by id for hosts; the one that was idle longest goes first. */
const MOST_TURNS = 4096;

export class Runtime {
  readonly session: Session;
  readonly registry = new Registry();
  readonly settings: Settings;
  readonly #parts: RuntimeParts;
  readonly #watchdog = new Watchdog();
  readonly #schedule = new Schedule();
  readonly #groups = new ProcessGroups();
  readonly #files = localFiles();
  readonly #secrets;
  readonly #gate: Gate;
  readonly #overflow: OverflowStore;
  readonly #log: CallLog | undefined;
  readonly #environment: Environment;
  readonly #rules: readonly Rule[];
  readonly #turns = new Map<string, { turn: Turn; calls: number }>();
  #mods: ModHost | undefined;
  #forgetStrays: (() => void) | undefined;
  #hooks: Hooks = NO_HOOKS;
  #turnCount = 0;
  #started = false;
  #closed = false;
  /** Whoever takes the events threw; said once. */
  #deaf = false;

  constructor(parts: RuntimeParts) {
    const { settings, cwd, session, warn } = parts;
    this.#parts = parts;
    this.settings = settings;
    this.session = new Session({ cwd, mode: settings.mode, ...(session !== undefined && { id: session }) });
    this.#secrets = loadSecrets(settings.all("secrets").flatMap(({ value }) => value));
    const places = dirs();
    this.#overflow = new OverflowStore({
      folder: places.overflow,
      project: this.session.project,
      enabled: settings.get("overflow.enabled"),
      fileCap: settings.get("overflow.fileCapBytes"),
      totalCap: settings.get("overflow.totalCapBytes"),
    });
    this.#gate = new Gate({
      redactor: redactor(this.#secrets.redactable()),
      overflow: this.#overflow,
      lastLimit: settings.get("limits.result"),
      limits: settings.get("limits"),
    });
    this.#log = settings.get("log.enabled") ? new CallLog(places.log, this.session.id, warn) : undefined;
    this.#environment = new Environment({
      keep: settings.get("env.keep"),
      // A known secret is given to the commands that name it, whatever it is called.
      drop: [...settings.get("env.drop"), ...this.#secrets.names()],
    });
    this.#rules = [...parts.rules ?? [], ...rulesOf(settings, this.session.project)];
    const shell = {
      environment: this.#environment,
      groups: this.#groups,
      timeoutMs: settings.get("shell.timeoutMs"),
    };
    const { tools, faces } = builtins(shell);
    this.registry.addBuiltins(tools, faces, assetOf);
  }

  /** Loads plugins and hooks, and starts the session. */
  async start(): Promise<void> {
    const { plugins = [], hookFiles = [], catchStrays } = this.#parts;
    const { settings, session } = this;
    const required = settings.get("mods.required");
    const found = settings.get("mods.enabled") ? findPlugins(plugins, dirs().plugins) : [];
    if (found.length > 0 || required.length > 0) {
      const { ModHost } = await import("./mods/host.ts");
      const warn = (text: string) => this.#warn(text);
      const mods = this.#mods = new ModHost({
        registry: this.registry,
        watchdog: this.#watchdog,
        cacheFolder: dirs().cache,
        storageFolder: dirs().storage,
        loadTimeoutMs: settings.get("mods.loadTimeoutMs"),
        options: Object.assign({}, ...settings.all("plugins").map(({ value }) => value).reverse()),
        required,
        exec: (command, cwd, signal) => this.#exec(command, cwd, signal),
        warn,
      });
      if (catchStrays) {
        const { watchStrays } = await import("./mods/strays.ts");
        this.#forgetStrays = watchStrays((stack) => mods.ownerOf(stack), warn);
      }
      await mods.load(found);
    }
    this.#reportRules();
    const configured = settings.all("hooks").filter(({ value }) => Object.keys(value).length > 0);
    if (configured.length > 0 || hookFiles.length > 0) await this.#loadHooks(hookFiles);
    const { at } = stamp(Date.now());
    this.#emit({
      type: "session_start",
      version: STREAM_VERSION,
      session: session.id,
      cwd: session.cwd,
      runtime: `${host.name} ${host.version}`,
      agent: VERSION,
      at,
    });
    this.#started = true;
    const source = "startup";
    const started = Object.freeze({ id: session.id, cwd: session.cwd, source });
    await runNotify(this.#handlers().session_start, this.#limits(), [started]);
    const contexts = await this.#hooks.session("SessionStart", source, this.#hookSession(session));
    for (const text of contexts ?? []) this.#notice("SessionStart hook", text);
  }

  /** A frozen turn: what a model is shown now, and what its calls will run. */
  async prepareTurn(options: TurnOptions = {}): Promise<Turn> {
    const toolset = options.toolset ?? this.settings.get("toolset");
    const family = familyOf(toolset);
    const session = options.cwd === undefined && options.mode === undefined ? this.session : new Session({
      id: this.session.id,
      cwd: options.cwd ?? this.session.cwd,
      mode: options.mode ?? this.session.mode,
    });
    const entries = this.registry.entries().filter(({ scope }) =>
      scope === undefined || options.scopes?.includes(scope)
    );
    const surface = await this.#surface(entries, toolset, family, options.tools);
    const open = options.open === true && options.tools === undefined && toolset !== "none";
    const handlers = this.#handlers();
    const turn = makeTurn({
      id: `turn_${(++this.#turnCount).toString(36)}_${randomHex(6)}`,
      session,
      family,
      toolset,
      surface: Object.freeze(surface),
      callable: Object.freeze(open ? entries : surface),
      handlers,
      handlerLimits: this.#limits(),
      glob: await this.#globCompiler(handlers),
      hooks: this.#hooks,
      policy: new Policy(this.#rules, MATCHERS, this.registry.covers(), guardedPlaces(session.project)),
      gate: this.#gate,
      secrets: this.#secrets,
      schedule: this.#schedule,
      files: this.#files,
      emit: (event) => this.#emit(event),
    });
    this.#remember(turn);
    await runNotify(handlers.turn_start, this.#limits(), [Object.freeze({ id: turn.id, family, toolset })]);
    return turn;
  }

  /** Runs a call in a turn, given itself or by id. Never rejects but for an unknown turn. */
  async call(turn: Turn | string, request: CallRequest, options: CallOptions = {}): Promise<Result> {
    const id = typeof turn === "string" ? turn : turn.id;
    const kept = this.#turns.get(id);
    const found = typeof turn === "string" ? kept?.turn : turn;
    if (!found) {
      throw new AgentError(`Cannot run a call in turn ${quote(id)}: no such turn`, "prepare a new one");
    }
    if (kept) {
      // Used last, so evicted last.
      this.#turns.delete(id);
      this.#turns.set(id, kept);
      kept.calls++;
    }
    try {
      return await runCall(found, request, options);
    } finally {
      if (kept) kept.calls--;
    }
  }

  /** Ends a turn that a host no longer needs. Calls in flight keep it. */
  async releaseTurn(id: string): Promise<void> {
    const kept = this.#turns.get(id);
    if (!kept) return;
    this.#turns.delete(id);
    await runNotify(kept.turn.handlers.turn_end, this.#limits(), [Object.freeze({ id })]);
  }

  /** Adds a tool whose work is done elsewhere; turns prepared from now on have it. Returns the remover. */
  addExternal(external: ExternalTool): () => void {
    const { name, description, inputSchema, source = "external", scope, traits, execute } = external;
    return this.registry.add({
      tier: "external",
      source,
      description,
      schema: inputSchema,
      ...(scope !== undefined && { scope }),
      tool: {
        name,
        input: () => {
          throw new AgentError("an external tool brings its own schema");
        },
        traits: () => traits ?? { effect: "run" },
        run: (args, context) => execute(args, context),
      },
    });
  }

  mods(): ModStatus[] {
    return this.#mods?.list() ?? [];
  }

  get logPath(): string | undefined {
    return this.#log?.path;
  }

  /** Ends the session: hooks, plugins, everything that commands left running, the log. */
  async close(reason = "exit"): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#started) {
      for (const id of [...this.#turns.keys()]) await this.releaseTurn(id);
      await this.#hooks.session("SessionEnd", reason, this.#hookSession(this.session));
      const ended = Object.freeze({ id: this.session.id, reason });
      await runNotify(this.#handlers().session_end, this.#limits(), [ended]);
    }
    await this.#mods?.dispose();
    await this.#groups.endAll();
    if (this.#started) {
      this.#emit({ type: "session_end", session: this.session.id, reason, at: stamp(Date.now()).at });
    }
    this.#overflow.clean();
    this.#log?.close();
    this.#forgetStrays?.();
  }

  /** The same in a hurry, when the process is about to end. */
  kill(): void {
    this.#groups.killAll();
    this.#log?.close();
  }

  #handlers(): Handlers {
    return this.#mods?.handlers() ?? NO_HANDLERS;
  }

  #limits(): HandlerLimits {
    return {
      watchdog: this.#watchdog,
      timeoutMs: this.settings.get("mods.handlerTimeoutMs"),
      report: (fault) => this.#warn(fault.message),
    };
  }

  async #surface(
    entries: readonly Entry[],
    toolset: string,
    family: Family,
    tools: readonly string[] | undefined,
  ): Promise<Entry[]> {
    // A name that several families have is the toolset's family's.
    const preferred = (entry: Entry) =>
      entry.tier !== "builtin" || entry.family === family ||
      !entries.some((other) => other.name === entry.name && other.family === family);
    const surface = tools
      ? surfaceOf(entries, (entry) => tools.includes(entry.name) && preferred(entry))
      : surfaceOf(entries, (entry) => inToolset(entry, toolset));
    const unknown = tools?.find((name) => !surface.some((entry) => entry.name === name));
    if (unknown !== undefined) {
      const near = nearest(unknown, entries.map(({ name }) => name));
      const { hint } = unknownTool(unknown, near);
      throw new UsageError(`Cannot show the tool ${quote(unknown)}: no such tool`, hint);
    }
    return await this.#rework(surface);
  }

  /** `surface` handlers hide or redescribe tools, before anything is hashed. */
  async #rework(surface: Entry[]): Promise<Entry[]> {
    const { surface: handlers } = this.#handlers();
    let current = surface;
    const shown = () =>
      Object.freeze(current.map(({ name, description }) => Object.freeze({ name, description })));
    await runChain(handlers, this.#limits(), () => [shown()], ({ hide = [], describe = {} }) => {
      current = current.filter(({ name }) => !hide.includes(name)).map((entry) =>
        Object.hasOwn(describe, entry.name)
          ? { ...entry, schema: entry.schema, description: String(describe[entry.name]) }
          : entry
      );
    });
    return current;
  }

  #remember(turn: Turn): void {
    this.#turns.set(turn.id, { turn, calls: 0 });
    if (this.#turns.size <= MOST_TURNS) return;
    for (const [id, { calls }] of this.#turns) {
      if (calls > 0) continue;
      this.#turns.delete(id);
      return;
    }
  }

  async #globCompiler(handlers: Handlers) {
    if (handlers === NO_HANDLERS) return () => () => false;
    const { compileGlob } = await import("./mods/glob.ts");
    return compileGlob;
  }

  /** A rule for a tool that isn't there guards nothing, which its author should know. */
  #reportRules(): void {
    if (this.#rules.length === 0) return;
    const names = new Set(this.registry.entries().flatMap((entry) => [...entry.names]));
    for (const { behavior, text, tool } of rulesWithoutTool(this.#rules, names)) {
      const near = nearest(tool, names, 1)[0];
      this.#warn(`the ${behavior} rule ${quote(text)} fits no tool${near ? `; did you mean ${near}?` : ""}`);
    }
  }

  async #loadHooks(files: readonly string[]): Promise<void> {
    const { loadHooks } = await import("./mods/load_hooks.ts");
    this.#hooks = await loadHooks({
      settings: this.settings,
      files,
      toolNames: new Set(this.registry.entries().flatMap(({ names }) => [...names])),
      transcript: this.#log?.path ?? "",
      processes: this.#groups,
      ruleFits: (rule, call) => this.#ruleFits(rule, call),
      shorten: (text) => this.#shorten(text),
      complain: (text) => {
        this.#parts.warn(text);
        if (this.#started) this.#notice("hooks", text);
      },
      warn: this.#parts.warn,
    });
  }

  /** A hook's own rule fits a call as a deny rule would: one part of a command is enough. */
  #ruleFits(text: string, call: HookCall): Promise<boolean> {
    const rule = parseRule(text, "deny", call.session.project);
    return new Policy([rule], MATCHERS, this.registry.covers()).mayFit(call.asked);
  }

  #shorten(text: string): string {
    const clean = this.#gate.redact(text);
    if (clean.length <= HOOK_TEXT) return clean;
    const path = this.#overflow.save("hook", clean);
    return cut(clean, HOOK_PREVIEW, "head", path === undefined ? "; not saved" : `; all of it: ${path}`);
  }

  async #exec(command: string, cwd: string, signal: AbortSignal) {
    const { run } = await import("./shell/process.ts");
    const { withShell } = await import("./shell/command_line.ts");
    const output = { stdout: "", stderr: "" };
    const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
    const env = this.#environment.forCommand(command, this.#secrets.namedIn(command));
    const ended = await withShell(command, false, (argv) =>
      run({
        argv,
        cwd,
        env,
        timeoutMs: this.settings.get("shell.timeoutMs"),
        signal,
        onOutput: (chunk, stream) => {
          if (output[stream].length < EXEC_CHARS) {
            output[stream] += decoders[stream].decode(chunk, { stream: true });
          }
        },
      }, this.#groups));
    return { ...output, exitCode: ended.exitCode };
  }

  #hookSession(session: Session): HookCall["session"] {
    return { id: session.id, cwd: session.cwd, project: session.project, mode: session.mode };
  }

  #notice(source: string, text: string): void {
    const clean = this.#gate.redact(text);
    this.#emit({ type: "notice", source, text: clean, at: stamp(Date.now()).at });
    void runNotify(this.#handlers().notice, this.#limits(), [Object.freeze({ source, text: clean })]);
  }

  /** What plugins say goes to people by the gate as well. */
  #warn(text: string): void {
    this.#parts.warn(this.#gate.redact(text));
  }

  #emit(event: StreamEvent): void {
    this.#log?.write(event);
    try {
      this.#parts.onEvent?.(event);
    } catch (error) {
      if (!this.#deaf) this.#parts.warn(`Cannot pass on an event: ${messageOf(error)}`);
      this.#deaf = true;
    }
  }
}

/** Characters of a hook's text that are passed on; longer ones go to a file with a preview. */
const HOOK_TEXT = 10_000;
const HOOK_PREVIEW = 2_000;
/** Characters that a plugin's `exec` collects of each stream. */
const EXEC_CHARS = 1024 * 1024;

/** What core can't do itself; each library is loaded by the first rule that needs it. */
const MATCHERS: Matchers = {
  path: async (pattern, path, root, guards) =>
    (await import("./tools/path_rules.ts")).pathMatches(pattern, path, root, guards),
  command: async (pattern, command) => (await import("./shell/grammar.ts")).commandMatches(pattern, command),
  commandParts: async (command, cwd) => (await import("./shell/grammar.ts")).commandParts(command, cwd),
};

/** Where settings, hooks, plugins and servers of the user and of the project are written. */
function guardedPlaces(project: string): string[] {
  return [dirs().config, join(project, ".agent"), join(project, ".mcp.json")].map(realPath);
}

function rulesOf(settings: Settings, project: string): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    settings.all(`permissions.${behavior}`).flatMap(({ value }) =>
      value.map((text) => parseRule(text, behavior, project))
    )
  );
}

function assetOf(key: string) {
  const asset = ASSETS[key];
  if (!asset) {
    throw new AgentError(
      `Cannot find the text of ${quote(key)}: the generated file is stale`,
      "npm run build",
    );
  }
  return asset as { description: string; schema: JsonSchema };
}
