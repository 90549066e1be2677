/** Commands that outlive the runtime which started them: several runtimes share them, and none ends them. */
import { dirs } from "../core/dirs.ts";
import type { AgentError } from "../core/errors.ts";
import { join } from "../core/paths.ts";
import { atMost } from "./child.ts";
import { ProcessGroups } from "./groups.ts";
import { Notices } from "./notices.ts";
import type { ShellSession } from "./session.ts";
import { ShellSessions } from "./sessions.ts";

/** What was printed last may take so long to arrive. */
const LAST_OUTPUT_MS = 1_000;

export class KeptSessions {
  readonly groups = new ProcessGroups({ live: join(dirs().sessions, "live") });
  readonly sessions: ShellSessions = new SilentSessions();

  /** How many run. */
  get running(): number {
    return this.sessions.list().filter(({ isLive }) => isLive).length;
  }

  /** Those that ended within so many milliseconds, with output that nobody has asked for. */
  unread(withinMs: number, now: number): number {
    return this.sessions.list().filter(({ isLive, told, endedAt, collector }) =>
      !isLive && !told && collector.hasNew && endedAt !== undefined && now - endedAt < withinMs
    ).length;
  }

  async end(): Promise<void> {
    await this.sessions.endAll();
    await this.groups.endAll();
  }

  /** The same in a hurry, when the process is about to end. */
  kill(): void {
    this.groups.killAll();
  }
}

/** Nothing is told unasked: the next call may be about something else, in another folder. */
class SilentSessions extends ShellSessions {
  override readonly watching = "Nothing is told unasked here: poll the session for its lines";
  override readonly lifetime = "go on until they are ended";

  constructor() {
    super(new Notices(() => {}));
  }

  override announceEnd(): void {}
  override announceRest(): void {}
  override tellEnd(): void {}
}

/** Where nobody keeps any: a call that asks for one fails with `why`. */
export class NoSessions extends SilentSessions {
  readonly #why: AgentError;

  constructor(why: AgentError) {
    super();
    this.#why = why;
  }

  override get(): ShellSession {
    throw this.#why;
  }
}

/** Those of `all`, for a call that is followed: `hear` gets what the session that it asks for has new, and what comes. */
export class FollowedSessions extends SilentSessions {
  readonly #all: ShellSessions;
  readonly #hear: (text: string) => void;
  #session: ShellSession | undefined;
  #unhear = () => {};

  constructor(all: ShellSessions, hear: (text: string) => void) {
    super();
    this.#all = all;
    this.#hear = (text) => void (text !== "" && hear(text));
  }

  override get(id: number): ShellSession {
    const session = this.#all.get(id);
    if (!this.#session) {
      this.#session = session;
      this.#hear(session.collector.peek(Infinity));
      this.#unhear = session.read(this.#hear);
    }
    return session;
  }

  override list(): ShellSession[] {
    return this.#all.list();
  }

  /** Nothing is heard any more; what was is not new any more. One that was killed may have had a last word. */
  async stop(): Promise<void> {
    const session = this.#session;
    if (!session) return;
    if (!session.isLive) await atMost(LAST_OUTPUT_MS, session.child.ended);
    this.#unhear();
    this.#session = undefined;
    await session.look(Infinity, true);
  }
}
