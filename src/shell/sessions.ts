/**
 * Commands that outlive their call: started in the background, still running when their time to answer was over, or
 * left behind by a command that ended. Each has a number; all end with the runtime, where no daemon keeps them.
 */
import { AgentError } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { Notices } from "./notices.ts";
import { sleep } from "./processes.ts";
import { type SessionParts, ShellSession } from "./session.ts";

/** Sessions that are over and kept, so that their output can still be asked for. */
const MOST_OVER = 100;
/** How often it is looked whether what was left behind still runs. */
const LOOK_MS = 500;
/** Sessions at once. */
const MOST_LIVE = 64;

export class ShellSessions {
  readonly notices: Notices;
  /** What becomes of watched lines. */
  readonly watching: string = "Its lines come with later results";
  /** How long those live that nobody ends; after "they". */
  readonly lifetime: string = "end with the runtime";
  readonly #sessions = new Map<number, ShellSession>();
  #count = 0;
  /** Commands that have no number yet: most are over before anybody needs one. */
  readonly #begun = new Set<ShellSession>();
  readonly #looks = new Set<ReturnType<typeof setInterval>>();

  constructor(notices: Notices) {
    this.notices = notices;
  }

  /** Takes a started command over. */
  add(parts: SessionParts): ShellSession {
    const session = this.begin(parts);
    this.number(session);
    return session;
  }

  /** The same, but it is in no list, and has no number, until `number` gives it one, if it isn't dropped. */
  begin(parts: SessionParts): ShellSession {
    const session = new ShellSession(0, parts);
    this.#begun.add(session);
    return session;
  }

  number(session: ShellSession): void {
    this.#begun.delete(session);
    session.id = ++this.#count;
    this.#sessions.set(session.id, session);
    this.#forgetOld();
  }

  drop(session: ShellSession): void {
    this.#begun.delete(session);
  }

  /** Throws where there is room for no more. */
  needRoom(): void {
    const live = this.#begun.size + this.list().filter(({ isLive }) => isLive).length;
    if (live < MOST_LIVE) return;
    throw new AgentError(`Cannot start a session: ${live} are running`, "end one of them first");
  }

  /** Distinct for one that never was. */
  get(id: number): ShellSession {
    const session = this.#sessions.get(id);
    session?.refresh();
    if (session) return session;
    const known = this.list().filter(({ isLive }) => isLive).map(({ id }) => id);
    const state = id > 0 && id <= this.#count ? "it ended long ago" : "there never was one";
    throw new AgentError(
      `Cannot find session ${id}: ${state}`,
      known.length === 0 ? "none is running" : `running: ${known.join(", ")}`,
    );
  }

  list(): ShellSession[] {
    const all = [...this.#sessions.values()];
    for (const session of all) session.refresh();
    return all;
  }

  /** The end of a background session is told once, by whoever is first: a result or a notice. */
  announceEnd(session: ShellSession): void {
    void session.child.ended.then(async () => {
      // A call that waits for it tells it itself.
      await sleep(0);
      if (session.state === "killed") return;
      this.tellEnd(session, `${session.status} after ${secondsText(session.endedAt! - session.startedAt)}`);
      this.announceRest(session);
    });
  }

  /** And the end of what it left behind, which nobody tells, so it is looked at. */
  announceRest(session: ShellSession): void {
    if (session.state !== "adopted") return;
    const look = setInterval(() => {
      session.refresh();
      if (session.isLive) return;
      clearInterval(look);
      this.#looks.delete(look);
      if (session.state === "killed" || session.toldOver) return;
      session.toldOver = true;
      const after = secondsText(host.now() - session.startedAt);
      this.#tell(session, `is over: what it left behind has ended, after ${after}`);
    }, LOOK_MS);
    this.#looks.add(look);
  }

  /** A notice that it ended, unless that was told. */
  tellEnd(session: ShellSession, how: string): void {
    if (session.told) return;
    session.told = true;
    if (!session.isLive) session.toldOver = true;
    this.#tell(session, how);
  }

  #tell({ id, command }: ShellSession, how: string): void {
    this.notices.push(`session ${id}`, `[session ${id} (${shortened(command)}) ${how}]`);
  }

  /** Ends all. Gives back those that would have gone on. */
  async endAll(): Promise<ShellSession[]> {
    for (const look of this.#looks) clearInterval(look);
    this.#looks.clear();
    const live = this.list().filter(({ isLive }) => isLive);
    await Promise.all(live.map((session) => session.kill()));
    return live.filter(({ state }) => state === "killed");
  }

  #forgetOld(): void {
    const over = this.list().filter(({ isLive }) => !isLive);
    for (const { id } of over.slice(0, Math.max(0, over.length - MOST_OVER))) this.#sessions.delete(id);
  }
}

/** Of a runtime that runs one call: whoever would ask is gone when that ends. */
export class PassingSessions extends ShellSessions {
  override readonly watching = "It ends with this run, so nobody is told its lines";
  override readonly lifetime = "end with this run";
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A command on one line, for lists and notices. */
export function shortened(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
