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
import { GuardedFiles } from "./core/guarded.ts";
import { randomHex } from "./core/hash.ts";
import {
  type Hooks,
  HOST_EVENTS,
  type HostEvent,
  type HostEvents,
  type HostVerdict,
  isHostEvent,
  mergeEvent,
  NO_HOOKS,
} from "./core/hooks.ts";
import { eventFields } from "./core/host_event.ts";
import { cleanRecords } from "./core/reads.ts";
import { Journal } from "./core/journal.ts";
import { LocalFiles } from "./core/local_files.ts";
import { CallLog } from "./core/log.ts";
import { OverflowStore, restIn } from "./core/overflow.ts";
import { join, resolvePath } from "./core/paths.ts";
import { type Mode, parseRules, Policy, type Rule, rulesWithoutTool } from "./core/permission.ts";
import { redactor } from "./core/redact.ts";
import { Registry } from "./core/registry.ts";
import type { CallOptions, CallRequest } from "./core/request.ts";
import { type Result, stamp } from "./core/result.ts";
import { host } from "./core/runtime.ts";
import { Schedule } from "./core/schedule.ts";
import type { JsonSchema } from "./core/schema.ts";
import { loadSecrets, type Secret, secretsAmong } from "./core/secrets.ts";
import { Session } from "./core/session.ts";
import type { Settings } from "./core/settings.ts";
import type { Sink, StreamEvent } from "./core/stream.ts";
import { STREAM_VERSION } from "./core/stream_version.ts";
import { rework, surfaceOfNames } from "./core/surface.ts";
import type { Context, Traits } from "./core/tool.ts";
import { makeTurn, surfaceOf, type Turn } from "./core/turn.ts";
import { TurnStore } from "./core/turns.ts";
import { findEntry, undo, type Undone } from "./core/undo.ts";
import { Watchdog } from "./core/watchdog.ts";
import type { Answerer } from "./mods/asker.ts";
import type { ClaudePlugin } from "./mods/claude_plugins.ts";
import type { OwnedCommand } from "./mods/host.ts";
import { claudePluginsIn, isWithoutMods, pluginsIn, type Search } from "./mods/search.ts";
import type { SessionMods } from "./mods/session_mods.ts";
import type { ModStatus } from "./mods/status.ts";
import type { ModContext } from "./sdk.ts";
import { Environment } from "./shell/environment.ts";
import { Notices } from "./shell/notices.ts";
import { ProcessGroups } from "./shell/groups.ts";
import type { KeptSessions } from "./shell/kept.ts";
import { reap } from "./shell/live.ts";
import { PassingSessions, ShellSessions, shortened } from "./shell/sessions.ts";
import { assetOf } from "./tools/assets.ts";
import { builtins } from "./tools/builtins.ts";
import { MATCHERS } from "./tools/matchers.ts";
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
  kept?: Pick<KeptSessions, "groups" | "sessions">;
  /** Calls are rehearsed: nothing that plugins keep is touched. */
  rehearsal?: Rehearsal | undefined;
  /** One call is run, and nobody asks for anything after it. */
  alone?: boolean;
  /** Everything the log holds, as it happens. */
  onEvent?: Sink;
  /** Late errors of plugins are told of instead of ending the process. A host decides for itself. */
  catchStrays?: boolean;
  /** Answers questions of plugins, in place of a person or by asking one; absent: nobody can. */
  askPerson?: Answerer | undefined;
  /** Diagnostics for people: something is wrong. */
  warn(text: string): void;
  /** What plugins have to say to people; a diagnostic where absent. */
  note?: ((text: string) => void) | undefined;
}

export interface Rehearsal {
  /** Holds what plugins keep, old contents and what was cut, in place of the user's folders. */
  folder: string;
  /** The plugins that were named, and no others, no hooks, no rules of settings. */
  namedOnly: boolean;
}

export interface ModCommandOptions {
  signal: AbortSignal;
  /** For standard output, redacted. */
  print(text: string): void;
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

/** A command in the background that ended because its runtime did. */
export interface EndedCommand {
  /** Its session's number. */
  id: number;
  /** On one line, shortened. */
  command: string;
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
  #gate: Gate;
  readonly #overflow: OverflowStore;
  readonly #log: CallLog | undefined;
  readonly #shell;
  readonly #rules: readonly Rule[];
  readonly #turns = new TurnStore(undefined, (id) => this.#mods?.host.release(id));
  readonly #search: Search;
  #mods: SessionMods | undefined;
  #hooks: Hooks = NO_HOOKS;
  #turnCount = 0;
  #starting: Promise<void> | undefined;
  #started = false;
  #closed = false;
  /** Whoever takes the events threw; said once. */
  #deaf = false;

  constructor(parts: RuntimeParts) {
    const { settings, cwd, session } = parts;
    this.#parts = parts;
    this.settings = settings;
    const namedOnly = parts.rehearsal?.namedOnly ?? false;
    this.#search = { settings, named: parts.plugins ?? [], namedOnly };
    const places = dirs();
    this.#groups = parts.kept?.groups ?? new ProcessGroups({ live: join(places.sessions, "live") });
    this.#sessions = parts.kept?.sessions ??
      (parts.alone ? new PassingSessions(this.#notices) : new ShellSessions(this.#notices));
    this.session = new Session({
      cwd,
      mode: settings.mode,
      records: places.sessions,
      ...(session !== undefined && { id: session }),
    });
    this.#secrets = loadSecrets(namedSecrets(settings), settings.get("env.keep"));
    this.#journal = journalOf(settings, (text) => this.#warn(text), this.#placeOf("journal"));
    this.#overflow = new OverflowStore({
      folder: this.#placeOf("overflow"),
      project: this.session.project,
      redact: (text) => this.#gate.redact(text),
      enabled: settings.get("overflow.enabled"),
      fileCap: settings.get("overflow.fileCapBytes"),
      totalCap: settings.get("overflow.totalCapBytes"),
    });
    this.#gate = this.#gateWith(this.#secrets.redactable());
    this.#log = settings.get("log.enabled")
      ? new CallLog(places.log, this.session.id, (text) => this.#warn(text))
      : undefined;
    const environment = new Environment({
      keep: settings.get("env.keep"),
      drop: settings.get("env.drop"),
      secrets: this.#secrets.names(),
    });
    const fromSettings = namedOnly ? [] : rulesOf(settings, this.session.project);
    this.#rules = [...parts.rules ?? [], ...fromSettings];
    this.#shell = {
      environment,
      secrets: this.#secrets,
      groups: this.#groups,
      sessions: this.#sessions,
      timeoutMs: settings.get("shell.timeoutMs"),
    };
    const { tools, faces } = builtins(this.#shell);
    this.registry.addBuiltins(tools, faces, (key) => assetOf(key));
  }

  /** Loads plugins and hooks, and starts the session; once, however often it is asked to. */
  start(): Promise<void> {
    return this.#starting ??= this.#start();
  }

  async #start(): Promise<void> {
    this.#journal.recover();
    await reap(join(dirs().sessions, "live"));
    const { session } = this;
    const claudePlugins = await this.#loadMods();
    this.#reportRules();
    await this.#loadHooks(claudePlugins);
    const { at } = stamp(Date.now());
    this.#emit({
      type: "session_start",
      version: STREAM_VERSION,
      session: session.id,
      cwd: this.#gate.redact(session.cwd),
      runtime: `${host.name} ${host.version}`,
      agent: VERSION,
      at,
    });
    this.#started = true;
    const source = "startup";
    const started = Object.freeze({ id: session.id, cwd: session.cwd, source });
    await runNotify(this.#handlers().session_start, this.#limits(), [started]);
    const said = await this.#hooks.session("SessionStart", source, session);
    if (said) this.#takeVariables(said.variables);
    for (const text of said?.contexts ?? []) this.#notice("SessionStart hook", text);
  }

  /** Gives back the plugins of Claude Code's whose hooks count. */
  async #loadMods(): Promise<readonly ClaudePlugin[]> {
    const found = pluginsIn(this.#search), claude = claudePluginsIn(this.#search);
    if (isWithoutMods(this.#search, found, claude)) return [];
    return await (await this.#openMods()).load(found, claude);
  }

  async #openMods(): Promise<SessionMods> {
    const { SessionMods } = await import("./mods/session_mods.ts");
    return this.#mods = new SessionMods({
      search: this.#search,
      registry: this.registry,
      watchdog: this.#watchdog,
      groups: this.#groups,
      storageFolder: this.#placeOf("storage"),
      catchStrays: this.#parts.catchStrays ?? false,
      exec: (...given) => this.#exec(...given),
      ask: this.#parts.askPerson,
      warn: (text) => this.#warn(text),
      note: (text) => this.#note(text),
    });
  }

  async #exec(command: string, cwd: string, signal: AbortSignal): ReturnType<ModContext["exec"]> {
    const { pluginExec } = await import("./mods/plugin_exec.ts");
    return await pluginExec(this.#shell, command, cwd, signal);
  }

  /**
   * Tells the hooks of an event that only a host knows of, and gives back what they want. The host heeds it: `continue`
   * first, then `blocked`.
   */
  async fire<E extends HostEvent>(event: E, fields: HostEvents[E]): Promise<HostVerdict> {
    if (!isHostEvent(event)) {
      const hint = `one of ${Object.keys(HOST_EVENTS).join(", ")}`;
      throw new UsageError(`Cannot fire ${quote(String(event))}: no event of a host's`, hint);
    }
    if (this.#closed) throw new AgentError(`Cannot fire ${event}: the session has ended`);
    return await this.#hooks.fire(event, eventFields(event, fields), this.session) ?? mergeEvent([]);
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
      policy: new Policy(this.#rules, MATCHERS, this.registry.covers(), this.#guarded(session.project)),
      gate: this.#gate,
      secrets: this.#secrets,
      schedule: this.#schedule,
      notices: () => this.#notices.take(),
      files: (id) => new LocalFiles(this.#journal, { id, session: session.id, project: session.project }),
      emit: (event) => this.#emit(event),
      keepsOriginals: this.settings.get("log.originals"),
      keepsTrails: (this.#log !== undefined && this.settings.get("log.trails")) ||
        this.#parts.onEvent !== undefined,
    });
    this.#mods?.host.hold(turn.id);
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
    return this.#mods?.host.list() ?? [];
  }

  /**
   * Loads all plugins anew, also those that have come since. Turns prepared from now on have what they register; a turn
   * that is in use keeps what it has until it is released. A plugin that fails stays as it was, and that is told.
   */
  async reloadMods(): Promise<ModStatus[]> {
    if (!this.#started || this.#closed) throw new AgentError("Cannot reload plugins: the session isn't open");
    if (this.#mods || pluginsIn(this.#search).length > 0) {
      await (this.#mods ?? await this.#openMods()).reload();
    }
    return this.mods();
  }

  /** Changes whenever a reload would find other files. */
  modMarks(): string {
    const found = pluginsIn(this.#search).map(({ entry }) => entry);
    return JSON.stringify([found, this.#mods?.host.marks() ?? []]);
  }

  /** Commands of plugins, `agent x NAME`, in order of registration. */
  modCommands(): { name: string; description: string; mod: string }[] {
    return [...this.#mods?.host.commands().values() ?? []]
      .map(({ command: { name, description }, mod }) => ({ name, description, mod }));
  }

  /** Runs a plugin's command to its end; gives back the exit code. What it throws is passed on. */
  async runModCommand(name: string, args: readonly string[], options: ModCommandOptions): Promise<number> {
    const commands = this.#mods?.host.commands() ?? new Map<string, OwnedCommand>();
    const found = commands.get(name);
    if (!found) {
      const [near] = nearest(name, commands.keys(), 1);
      const hint = near === undefined ? "agent x lists those that there are" : `did you mean ${near}?`;
      throw new UsageError(`Cannot run ${quote(name)}: no plugin has such a command`, hint);
    }
    const { runCommand } = await import("./mods/commands.ts");
    const turn = await this.prepareTurn({ open: true });
    const id = turn.callId();
    return await runCommand(found, args, {
      id,
      cwd: this.session.cwd,
      signal: options.signal,
      print: (text) => options.print(this.#gate.redact(text)),
      log: (text) => this.#note(`${found.mod}: ${text}`),
      secret: (secret) => this.#secrets.get(secret),
      files: turn.files(id),
      exec: (command) => this.#exec(command, this.session.cwd, options.signal),
      call: (tool, given) =>
        this.call(turn, { name: tool, args: given }, { origin: "script", signal: options.signal }),
      ask: this.#parts.askPerson,
    });
  }

  get logPath(): string | undefined {
    return this.#log?.path;
  }

  /** Ends the session: hooks, plugins, everything that commands left running, the log. Gives back what still ran. */
  async close(reason = "exit"): Promise<readonly EndedCommand[]> {
    if (this.#closed) return [];
    this.#closed = true;
    let ended: readonly EndedCommand[] = [];
    if (this.#started) {
      await this.#turns.releaseAll();
      await this.#hooks.session("SessionEnd", reason, this.session);
      const ended = Object.freeze({ id: this.session.id, reason });
      await runNotify(this.#handlers().session_end, this.#limits(), [ended]);
    }
    await this.#mods?.host.dispose();
    if (!this.#parts.kept) {
      ended = (await this.#sessions.endAll())
        .map(({ id, command }) => ({ id, command: shortened(this.#gate.redact(command)) }));
      await this.#groups.endAll();
      for (const { id, command } of ended) {
        // Plugins have been disposed; the stream and the log are told.
        const text = `[session ${id} (${command}) was ended, as nothing keeps it]`;
        this.#emit({ type: "notice", source: `session ${id}`, text, at: stamp(Date.now()).at });
      }
    }
    if (this.#started) {
      this.#emit({ type: "session_end", session: this.session.id, reason, at: stamp(Date.now()).at });
    }
    this.session.reads.save();
    this.#overflow.clean();
    this.#journal.clean();
    cleanRecords(dirs().sessions, this.settings.get("journal.keepDays"));
    this.#log?.close();
    this.#mods?.forgetStrays();
    return ended;
  }

  /** The same in a hurry, when the process is about to end. */
  kill(): void {
    this.session.reads.save();
    if (!this.#parts.kept) this.#groups.killAll();
    this.#log?.close();
  }

  #gateWith(secrets: readonly Secret[]): Gate {
    return new Gate({
      redactor: redactor(secrets),
      overflow: this.#overflow,
      lastLimit: this.settings.get("resultLimit"),
      limits: this.settings.get("limits"),
    });
  }

  #placeOf(name: "storage" | "journal" | "overflow"): string {
    const { rehearsal } = this.#parts;
    return rehearsal ? join(rehearsal.folder, name) : dirs()[name];
  }

  #guarded(project: string): GuardedFiles {
    const { settings, named } = this.#search;
    const typed = [...named, ...this.#parts.hookFiles ?? []].map((path) => resolvePath(host.cwd(), path));
    return new GuardedFiles(project, settings.trusted, typed);
  }

  #handlers(): Handlers {
    return this.#mods?.host.handlers() ?? NO_HANDLERS;
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

  async #loadHooks(plugins: readonly ClaudePlugin[]): Promise<void> {
    const { settings } = this;
    const files = this.#parts.hookFiles ?? [];
    const isConfigured = !this.#search.namedOnly &&
      settings.all("hooks").some(({ value }) => Object.keys(value).length > 0);
    if (!isConfigured && files.length + plugins.length === 0) return;
    const { loadHooks } = await import("./mods/load_hooks.ts");
    this.#hooks = await loadHooks({
      settings,
      files,
      plugins,
      project: settings.trusted.project?.content?.root ?? this.session.project,
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

  /** What hooks gave the session's commands. Values that look secret by their names are redacted like our own. */
  #takeVariables(variables: Readonly<Record<string, string>>): void {
    if (Object.keys(variables).length === 0) return;
    const { settings } = this;
    const found = secretsAmong(variables, namedSecrets(settings), settings.get("env.keep"));
    this.#shell.environment.add(variables, found.names());
    const values = found.redactable();
    if (values.length > 0) this.#gate = this.#gateWith([...this.#secrets.redactable(), ...values]);
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
export function journalOf(
  settings: Settings,
  complain: (text: string) => void,
  folder = dirs().journal,
): Journal {
  return new Journal({
    folder,
    enabled: settings.get("journal.enabled"),
    totalCap: settings.get("journal.totalCapBytes"),
    keepDays: settings.get("journal.keepDays"),
    complain,
  });
}

/** Characters of a hook's text that are passed on; longer ones go to a file with a preview. */
const HOOK_TEXT = 10_000;
const HOOK_PREVIEW = 2_000;

/** The compiler for `call.touches`, loaded where a handler may ask. */
async function globCompiler(handlers: Handlers) {
  const asks = (event: EventName) => EVENTS[event].call && handlers[event].length > 0;
  if (!(Object.keys(EVENTS) as EventName[]).some(asks)) return () => () => false;
  const { compileGlob } = await import("./mods/glob.ts");
  return compileGlob;
}

function namedSecrets(settings: Settings): string[] {
  return settings.all("secrets").flatMap(({ value }) => value);
}

function rulesOf(settings: Settings, project: string): Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((behavior) =>
    settings.all(`permissions.${behavior}`).flatMap(({ value, foreign, project: from }) =>
      value.flatMap((text) => parseRules(text, behavior, from ?? project))
        .map((rule) => ({
          ...rule,
          ...(foreign && { foreign }),
          ...(from !== undefined && { project: true }),
        }))
    )
  );
}
