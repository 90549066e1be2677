/** The processes of one session: what is known of them, and how all of them are ended. */
import { randomHex } from "../core/hash.ts";
import { host } from "../core/runtime.ts";
import { FolderProbes } from "./folder_probe.ts";
import type { SpawnHelper } from "./helper.ts";
import { LiveRecord } from "./live.ts";
import { NamedPipes } from "./pipes.ts";
import {
  endLiving,
  groupIsThere,
  killTreeOnWindows,
  livingGroups,
  MARKED,
  send,
  straysWith,
} from "./processes.ts";

/** From this size on, in bytes, a process takes long to start another: Node copies itself for it. */
const GROWN = 120 * 1024 * 1024;

export interface GroupsOptions {
  /** The folder where sessions write down what to end should they be killed, and share pipes; neither where absent. */
  live?: string;
}

/** Groups that may still have members, and on Linux whoever left them. */
export class ProcessGroups {
  readonly #groups = new Set<number>();
  /** Those whose first process has exited. */
  readonly #headless = new Set<number>();
  readonly #marker = randomHex(24);
  readonly #record: LiveRecord;
  /** Where its short-lived files go. */
  readonly live: string | undefined;
  readonly pipes: NamedPipes;
  readonly folders: FolderProbes;
  #count = 0;
  #helper: SpawnHelper | undefined;
  #mayHelp = !host.detachesSlowly && host.platform === "linux";

  constructor({ live }: GroupsOptions = {}) {
    this.live = live;
    this.#record = new LiveRecord(live, this.#marker);
    this.pipes = new NamedPipes(live, this.#marker);
    this.folders = new FolderProbes(live);
  }

  /** A mark for one child and all below it, which begins with the session's. */
  newMark(): string {
    return `${this.#marker}.${++this.#count}.`;
  }

  /** `env` with a child's mark, beside those of sessions further up. To be asked before each start. */
  marked(env: Record<string, string>, mark = this.newMark()): Record<string, string> {
    this.#record.write();
    return { ...env, [MARKED]: env[MARKED] === undefined ? mark : `${env[MARKED]}:${mark}` };
  }

  /** One whose first process lives; it may be about to make its group only. */
  add(group: number): void {
    // Their numbers will be others' some day.
    for (const old of this.#headless) if (!groupIsThere(old)) this.remove(old);
    this.#headless.delete(group);
    this.#groups.add(group);
    this.#record.add(group);
  }

  /** Its first process has exited, just now. */
  exited(group: number): void {
    if (!this.#groups.has(group)) return;
    this.#headless.add(group);
    if (groupIsThere(group)) this.#record.sawOthers(group);
  }

  /** It is empty. */
  remove(group: number): void {
    this.#groups.delete(group);
    this.#headless.delete(group);
    this.#record.forget(group);
  }

  /**
   * The process that starts others in place of this one, once this one has grown and as soon as that one is ready.
   * Never at first: it takes longer to start than a few commands do.
   */
  async helper(): Promise<SpawnHelper | undefined> {
    if (!this.#mayHelp) return undefined;
    if (!this.#helper) {
      if (host.builtin<typeof process>("node:process").memoryUsage.rss() < GROWN) return undefined;
      const { SpawnHelper } = await import("./helper.ts");
      this.#helper ??= SpawnHelper.start((group) => this.remove(group));
      if (!this.#helper) this.#mayHelp = false;
    }
    if (this.#helper?.ended) {
      // One that died may have had its reasons: it isn't tried again.
      this.#mayHelp = false;
      this.#helper = undefined;
    }
    return this.#helper?.ready ? this.#helper : undefined;
  }

  /** Ends all of them, TERM first. */
  async endAll(): Promise<void> {
    const groups = [...this.#groups];
    if (host.platform === "win32") await Promise.all(groups.map(killTreeOnWindows));
    else await endLiving(() => [...livingOf(groups), ...this.#strays()]);
    this.#letGo();
  }

  /** The same without waiting, for a process that is about to die. */
  killAll(): void {
    for (const group of this.#groups) send(-group, "SIGKILL");
    for (const pid of this.#strays()) send(pid, "SIGKILL");
    this.#letGo();
  }

  #letGo(): void {
    this.#groups.clear();
    this.#headless.clear();
    this.#helper?.close();
    this.#helper = undefined;
    this.pipes.remove();
    this.folders.remove();
    this.#record.remove();
  }

  /** Costs a look at every process, so it is done only where something ran. */
  #strays(): number[] {
    return this.#count > 0 ? straysWith(this.#marker, this.#groups) : [];
  }
}

/** Groups that live, as `endLiving` takes them. */
function livingOf(groups: readonly number[]): number[] {
  return livingGroups(groups).map((group) => -group);
}

/** Ctrl-C to all that a child started and that are left. No group: that one is known to be empty. */
export function interruptLeft(group: number | undefined, mark: string): void {
  const groups = group === undefined ? [] : livingGroups([group]);
  for (const one of groups) send(-one, "SIGINT");
  for (const pid of straysWith(mark, new Set(groups))) send(pid, "SIGINT");
}

/** Ends a child with all that it started, in its group or out of it. No group: that one is known to be empty. */
export async function endTree(group: number | undefined, mark: string): Promise<void> {
  if (host.platform !== "win32") {
    const groups = group === undefined ? [] : [group];
    return await endLiving(() => [...livingOf(groups), ...straysWith(mark, new Set(groups))]);
  }
  if (group !== undefined) await killTreeOnWindows(group);
}
