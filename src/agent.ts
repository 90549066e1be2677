/**
 * The composition root: settings → tools, plugins, hooks → a runtime that prepares turns and runs calls.
 */
import { dirs } from "./core/dirs.ts";
import { AgentError, messageOf, nearest, quote, UsageError } from "./core/errors.ts";
import {
  type EventName,
  EVENTS,
  type HandlerLimits,
  type Handlers,
  NO_HANDLERS,
  runNotify,
} from "./core/events.ts";
import { cut } from "./core/fit.ts";
import { Gate } from "./core/gate.ts";
import { randomHex } from "./core/hash.ts";
import { type Hooks, NO_HOOKS } from "./core/hooks.ts";
import { cleanRecords } from "./core/reads.ts";
import { Journal } from "./core/journal.ts";
import { LocalFiles } from "./core/local_files.ts";
import { CallLog } from "./core/log.ts";
import { OverflowStore, restIn } from "./core/overflow.ts";
import { join, realPath } from "./core/paths.ts";
import {
  type Matchers,
  type Mode,
  parseRules,
  Policy,
  type Rule,
  rulesWithoutTool,
} from "./core/permission.ts";
import { redactor } from "./core/redact.ts";
import { Registry } from "./core/registry.ts";
import type { CallOptions, CallRequest } from "./core/request.ts";
import { type Result, stamp } from "./core/result.ts";
import { host } from "./core/runtime.ts";
import { Schedule } from "./core/schedule.ts";
import type { JsonSchema } from "./core/schema.ts";
import { loadSecrets } from "./core/secrets.ts";
import { Session } from "./core/session.ts";
import type { Settings } from "./core/settings.ts";
import { type Sink, STREAM_VERSION, type StreamEvent } from "./core/stream.ts";
import { rework, surfaceOfNames } from "./core/surface.ts";
import type { Asset, Context, Traits } from "./core/tool.ts";
import { makeTurn, surfaceOf, type Turn } from "./core/turn.ts";
import { TurnStore } from "./core/turns.ts";
import { findEntry, undo, type Undone } from "./core/undo.ts";
import { Watchdog } from "./core/watchdog.ts";
import { ASSETS } from "./generated/tools.ts";
import type { ModHost, ModStatus } from "./mods/host.ts";
import { findPlugins } from "./mods/places.ts";
import { Environment } from "./shell/environment.ts";
import { Notices } from "./shell/notices.ts";
import { ProcessGroups } from "./shell/groups.ts";
import type { KeptSessions } from "./shell/kept.ts";
import { reap } from "./shell/live.ts";
import { ShellSessions } from "./shell/sessions.ts";
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
  /** One of `rules` that fits no tool is an error. A host may add tools later, so it is only told. */
  strictRules?: boolean;
  /** Commands that go on when this runtime closes, and those that others left so. */
  kept?: KeptSessions;
  /** Everything the log holds, as it happens. */
  onEvent?: Sink;
  /** Late errors of plugins are told of instead of ending the process. A host decides for itself. */
  catchStrays?: boolean;
  /** Diagnostics for people: something is wrong. */
  warn(text: string): void;
  /** What plugins have to say to people; a diagnostic where absent. */
  note?: ((text: string) => void) | undefined;
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

export class Runtime {
  readonly session: Session;
  readonly registry = new Registry();
  readonly settings: Settings;
  readonly #parts: RuntimeParts;
  readonly #watchdog = new Watchdog();
  readonly #schedule = new Schedule();
  readonly #groups: ProcessGroups;
  readonly #notices = new Notices((source, text) => this.#notice(source, text));
  readonly #sessions: ShellSessions;
  readonly #journal: Journal;
  readonly #secrets;
  readonly #gate: Gate;
  readonly #overflow: OverflowStore;
  readonly #log: CallLog | undefined;
  readonly #shell;
  readonly #rules: readonly Rule[];
  readonly #turns = new TurnStore();
  #mods: ModHost | undefined;
  #forgetStrays: (() => void) | undefined;
  #hooks: Hooks = NO_HOOKS;
  #turnCount = 0;
  #started = false;
  #closed = false;
  /** Whoever takes the events threw; said once. */
  #deaf = false;

  constructor(parts: RuntimeParts) {
    const { settings, cwd, session } = parts;
    this.#parts = parts;
    this.settings = settings;
    const places = dirs();
    this.#groups = parts.kept?.groups ?? new ProcessGroups({ live: join(places.sessions, "live") });
    this.#sessions = parts.kept?.sessions ?? new ShellSessions(this.#notices);
    this.session = new Session({
      cwd,
      mode: settings.mode,
      records: places.sessions,
      ...(session !== undefined && { id: session }),
    });
    this.#secrets = loadSecrets(
      settings.all("secrets").flatMap(({ value }) => value),
      settings.get("env.keep"),
    );
    this.#journal = journalOf(settings, (text) => this.#warn(text));
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
      lastLimit: settings.get("resultLimit"),
      limits: settings.get("limits"),
    });
    this.#log = settings.get("log.enabled")
      ? new CallLog(places.log, this.session.id, (text) => this.#warn(text))
      : undefined;
    const environment = new Environment({
      keep: settings.get("env.keep"),
      // A known secret is given to the commands that name it, whatever it is called.
      drop: [...settings.get("env.drop"), ...this.#secrets.names()],
    });
    this.#rules = [...parts.rules ?? [], ...rulesOf(settings, this.session.project)];
    this.#shell = {
      environment,
      secrets: this.#secrets,
      groups: this.#groups,
      sessions: this.#sessions,
      timeoutMs: settings.get("shell.timeoutMs"),
    };
    const { tools, faces } = builtins(this.#shell);
    this.registry.addBuiltins(tools, faces, assetOf);
  }

  /** Loads plugins and hooks, and starts the session. */
  async start(): Promise<void> {
    this.#journal.recover();
    await reap(join(dirs().sessions, "live"));
    const { plugins = [], hookFiles = [], catchStrays } = this.#parts;
    const { settings, session } = this;
    const required = settings.get("mods.required");
    const found = settings.get("mods.enabled") ? findPlugins(plugins, dirs().plugins) : [];
    if (found.length > 0 || required.length > 0) {
      const { ModHost } = await import("./mods/host.ts");
      const mods = this.#mods = new ModHost({
        registry: this.registry,
        watchdog: this.#watchdog,
        cacheFolder: dirs().cache,
        storageFolder: dirs().storage,
        loadTimeoutMs: settings.get("mods.loadTimeoutMs"),
        options: Object.assign({}, ...settings.all("plugins").map(({ value }) => value).reverse()),
        required,
        exec: async (...given) => {
          const { pluginExec } = await import("./mods/plugin_exec.ts");
          return await pluginExec(this.#shell, ...given);
        },
        warn: (text) => this.#warn(text),
        note: (text) => this.#note(text),
      });
      if (catchStrays) {
        const { forbidExits } = await import("./mods/exits.ts");
        const undo = [host.onStray((error) => mods.reportStray(error)), forbidExits()];
        this.#forgetStrays = () => undo.forEach((one) => one());
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
    const contexts = await this.#hooks.session("SessionStart", source, session);
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
      reads: this.session.reads,
    });
    const entries = this.registry.entries().filter(({ scope }) =>
      scope === undefined || options.scopes?.includes(scope)
    );
    const chosen = options.tools
      ? surfaceOfNames(entries, options.tools, family)
      : surfaceOf(entries, (entry) => inToolset(entry, toolset));
    const handlers = this.#handlers();
    const surface = await rework(chosen, handlers.surface, this.#limits());
    const open = options.open === true && options.tools === undefined && toolset !== "none";
    const turn = makeTurn({
      id: `turn_${(++this.#turnCount).toString(36)}_${randomHex(6)}`,
      session,
      family,
      toolset,
      surface: Object.freeze(surface),
      callable: Object.freeze(open ? entries : surface),
      canonical: (tool) => this.registry.canonical(tool),
      handlers,
      handlerLimits: this.#limits(),
      glob: await globCompiler(handlers),
      hooks: this.#hooks,
      policy: new Policy(this.#rules, MATCHERS, this.registry.covers(), guardedPlaces(session.project)),
      gate: this.#gate,
      secrets: this.#secrets,
      schedule: this.#schedule,
      notices: () => this.#notices.take(),
      files: (id) => new LocalFiles(this.#journal, { id, session: session.id, project: session.project }),
      emit: (event) => this.#emit(event),
    });
    await this.#turns.add(turn);
    await runNotify(handlers.turn_start, this.#limits(), [Object.freeze({ id: turn.id, family, toolset })]);
    return turn;
  }

  /** Runs a call in a turn, given itself or by id. Never rejects but for an unknown turn. */
  call(turn: Turn | string, request: CallRequest, options: CallOptions = {}): Promise<Result> {
    return this.#turns.call(turn, request, options);
  }

  /** Ends a turn that a host no longer needs. Calls in flight keep it. */
  releaseTurn(id: string): Promise<void> {
    return this.#turns.release(id);
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

  /**
   * Takes back what a call did to files: the one with this id, or the newest that changed a file in the session's
   * folder. Refused where a file has changed since, unless `force`. What is done is a call of its own, `id`.
   */
  undo(call?: string, { force = false } = {}): { call: string; id: string; files: Undone[] } {
    const entry = findEntry(this.#journal, this.session.project, call);
    return { call: entry.call, ...undo(this.#journal, entry, this.session.id, force) };
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
      await this.#turns.releaseAll();
      await this.#hooks.session("SessionEnd", reason, this.session);
      const ended = Object.freeze({ id: this.session.id, reason });
      await runNotify(this.#handlers().session_end, this.#limits(), [ended]);
    }
    await this.#mods?.dispose();
    if (!this.#parts.kept) {
      await this.#sessions.endAll();
      await this.#groups.endAll();
    }
    if (this.#started) {
      this.#emit({ type: "session_end", session: this.session.id, reason, at: stamp(Date.now()).at });
    }
    this.session.reads.save();
    this.#overflow.clean();
    this.#journal.clean();
    cleanRecords(dirs().sessions, this.settings.get("journal.keepDays"));
    this.#log?.close();
    this.#forgetStrays?.();
  }

  /** The same in a hurry, when the process is about to end. */
  kill(): void {
    this.session.reads.save();
    if (!this.#parts.kept) this.#groups.killAll();
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

  /** A rule for a tool that isn't there guards nothing, which its author should know. */
  #reportRules(): void {
    if (this.#rules.length === 0) return;
    const { rules, strictRules } = this.#parts;
    const names = this.registry.names();
    for (const rule of rulesWithoutTool(this.#rules, names)) {
      const near = nearest(rule.tool, names, 1)[0];
      const hint = near && `did you mean ${near}?`;
      const named = `the ${rule.behavior} rule ${quote(rule.text)}`;
      if (strictRules && rules?.includes(rule)) {
        throw new UsageError(`Cannot use ${named}: it fits no tool`, hint);
      }
      this.#warn(`${named} fits no tool${hint ? `; ${hint}` : ""}`);
    }
  }

  async #loadHooks(files: readonly string[]): Promise<void> {
    const { loadHooks } = await import("./mods/load_hooks.ts");
    this.#hooks = await loadHooks({
      settings: this.settings,
      files,
      toolNames: this.registry.names(),
      transcript: this.#log?.path ?? "",
      groups: this.#groups,
      matchers: MATCHERS,
      covers: this.registry.covers(),
      shorten: (text) => this.#shorten(text),
      complain: (text) => {
        this.#warn(text);
        if (this.#started) this.#notice("hooks", text);
      },
      warn: (text) => this.#warn(text),
    });
  }

  #shorten(text: string): string {
    const clean = this.#gate.redact(text);
    if (clean.length <= HOOK_TEXT) return clean;
    return cut(clean, HOOK_PREVIEW, "head", restIn(this.#overflow.save("hook", clean)));
  }

  #notice(source: string, text: string): void {
    const clean = this.#gate.redact(text);
    this.#emit({ type: "notice", source, text: clean, at: stamp(Date.now()).at });
    void runNotify(this.#handlers().notice, this.#limits(), [Object.freeze({ source, text: clean })]);
  }

  /** What goes to people goes by the gate as well, whoever says it. */
  #warn(text: string): void {
    this.#parts.warn(this.#gate.redact(text));
  }

  #note(text: string): void {
    const { note, warn } = this.#parts;
    (note ?? warn)(this.#gate.redact(text));
  }

  #emit(event: StreamEvent): void {
    this.#log?.write(event);
    try {
      this.#parts.onEvent?.(event);
    } catch (error) {
      if (!this.#deaf) this.#warn(`Cannot pass on an event: ${messageOf(error)}`);
      this.#deaf = true;
    }
  }
}

/** The undo journal as settings have it; `complain` hears once when it can't be written. */
export function journalOf(settings: Settings, complain: (text: string) => void): Journal {
  return new Journal({
    folder: dirs().journal,
    enabled: settings.get("journal.enabled"),
    totalCap: settings.get("journal.totalCapBytes"),
    keepDays: settings.get("journal.keepDays"),
    complain,
  });
}

/** Characters of a hook's text that are passed on; longer ones go to a file with a preview. */
const HOOK_TEXT = 10_000;
const HOOK_PREVIEW = 2_000;

/** What core can't do itself; each library is loaded by the first rule that needs it. */
const MATCHERS: Matchers = {
  path: async (pattern, path, root, guards) =>
    (await import("./tools/path_rules.ts")).pathMatches(pattern, path, root, guards),
  command: async (pattern, command) =>
    (await import("./shell/command_rules.ts")).commandMatches(pattern, command),
  commandParts: async (command, cwd) => (await import("./shell/grammar.ts")).commandParts(command, cwd),
};

/** The compiler for `call.touches`, loaded where a handler may ask. */
async function globCompiler(handlers: Handlers) {
  const asks = (event: EventName) => EVENTS[event].call && handlers[event].length > 0;
  if (!(Object.keys(EVENTS) as EventName[]).some(asks)) return () => () => false;
  const { compileGlob } = await import("./mods/glob.ts");
  return compileGlob;
}

/** Where settings, hooks, plugins and servers of the user and of the project are written. */
function guardedPlaces(project: string): string[] {
  return [dirs().config, join(project, ".agent"), join(project, ".mcp.json")].map(realPath);
}

function rulesOf(settings: Settings, project: string): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    settings.all(`permissions.${behavior}`).flatMap(({ value }) =>
      value.flatMap((text) => parseRules(text, behavior, project))
    )
  );
}

function assetOf(key: string): Asset {
  const asset = ASSETS[key];
  if (asset !== undefined) return JSON.parse(asset);
  throw new AgentError(`Cannot find the text of ${quote(key)}: the generated file is stale`, "npm run build");
}
