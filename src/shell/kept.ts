/** Commands that outlive the runtime which started them: several runtimes share them, and none ends them. */
import { dirs } from "../core/dirs.ts";
import { join } from "../core/paths.ts";
import { ProcessGroups } from "./groups.ts";
import { Notices } from "./notices.ts";
import { ShellSessions } from "./sessions.ts";

export class KeptSessions {
  readonly groups = new ProcessGroups({ live: join(dirs().sessions, "live") });
  readonly sessions: ShellSessions = new SilentSessions(new Notices(() => {}));

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

/** An end isn't told unasked: the next call may be about something else, in another folder. */
class SilentSessions extends ShellSessions {
  override announceEnd(): void {}
}
