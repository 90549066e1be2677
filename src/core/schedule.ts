/**
 * What may run together. Readers of a key share it, a writer has it alone, a call without keys claims everything;
 * conflicts are settled in the order in which calls arrived.
 *
 * A call declares its claims when it arrives, before anything that may take time, so a slow hook of an earlier
 * call never lets a later one overtake it. `enter` takes the claims the call has in the end.
 */
import { AgentError } from "./errors.ts";
import type { Traits } from "./tool.ts";

/** What a call claims: keys, absent for everything, none for nothing; alone or with other readers. */
export interface Claim {
  readonly keys: readonly string[] | undefined;
  readonly alone: boolean;
}

export function claimOf(traits: Traits): Claim {
  return { keys: traits.keys, alone: traits.effect !== "read" };
}

/** One call's place in the queue. */
export interface Ticket {
  /** Says what the call will probably claim; later calls that conflict with it wait. */
  declare(claim: Claim): void;
  /**
   * Waits until nothing conflicts; `undefined` when that is so already. The signal is asked for only where there is
   * something to wait for; its abort rejects with its reason.
   */
  enter(claim: Claim, signal?: () => AbortSignal): Promise<void> | undefined;
  /** Ends the claim. Safe to call more than once. */
  leave(): void;
}

interface Entry {
  /** Arrival of the outermost call, then of this one. */
  order: number;
  place: number;
  parent: Entry | undefined;
  claim: Claim | undefined;
  running: boolean;
  /** Calls that it made and that aren't over. */
  readonly nested: Set<Entry>;
  wake: (() => void) | undefined;
  /** While waiting: the entries it waits for. */
  waitsFor: readonly Entry[];
}

export class Schedule {
  readonly #live = new Set<Entry>();
  readonly #byKey = new Map<string, Set<Entry>>();
  /** How many live entries are nested in others: without any there are no cycles. */
  #nested = 0;
  /** Entries that claim everything. */
  readonly #wide = new Set<Entry>();
  #next = 0;

  /** A ticket in order of arrival; a nested call passes its parent's and inherits its claims. */
  take(parent?: Ticket): Ticket {
    const above = parent instanceof ScheduleTicket ? parent.entry : undefined;
    const entry: Entry = {
      order: above?.order ?? this.#next,
      place: this.#next++,
      parent: above,
      claim: undefined,
      running: false,
      nested: new Set(),
      wake: undefined,
      waitsFor: [],
    };
    this.#live.add(entry);
    if (above) {
      above.nested.add(entry);
      this.#nested++;
    }
    return new ScheduleTicket(this, entry);
  }

  /** How many calls hold or wait for something. */
  get size(): number {
    return this.#live.size;
  }

  declare(entry: Entry, claim: Claim): void {
    // A call that ended early may still be on its way here; it claims nothing any more.
    if (!this.#live.has(entry)) throw new AgentError("Cannot claim anything: the call has ended");
    this.#drop(entry);
    entry.claim = claim;
    if (claim.keys === undefined) this.#wide.add(entry);
    else {
      for (const key of claim.keys) {
        const holders = this.#byKey.get(key);
        if (holders) holders.add(entry);
        else this.#byKey.set(key, new Set([entry]));
      }
    }
  }

  enter(entry: Entry, claim: Claim, makeSignal: (() => AbortSignal) | undefined): Promise<void> | undefined {
    const declared = entry.claim;
    this.declare(entry, claim);
    const started = this.#start(entry);
    // Who waits for what this call said before may go on now.
    if (declared && !sameClaim(declared, claim)) this.#wakeAll();
    if (started) return undefined;
    return this.#line(entry, makeSignal?.());
  }

  /** Waits to be woken until `entry` can start. */
  #line(entry: Entry, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        entry.wake = undefined;
        signal?.removeEventListener("abort", abort);
      };
      const abort = () => {
        settle();
        reject(signal!.reason);
      };
      entry.wake = () => {
        try {
          if (!this.#start(entry)) return;
        } catch (error) {
          settle();
          return reject(error);
        }
        settle();
        resolve();
      };
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      // A nested call that waits for this one may be what this one waits for: it must not wait any longer.
      if (this.#nested > 0) this.#wakeAll();
    });
  }

  leave(entry: Entry): void {
    if (!this.#live.delete(entry)) return;
    this.#drop(entry);
    if (entry.parent?.nested.delete(entry)) this.#nested--;
    entry.running = false;
    entry.wake = undefined;
    this.#wakeAll();
  }

  #start(entry: Entry): boolean {
    const blockers = this.#blockers(entry);
    entry.waitsFor = blockers;
    if (blockers.length > 0) {
      if (entry.parent && blockers.some((blocker) => leadsTo(blocker, entry, new Set()))) {
        throw new AgentError(
          "Cannot run a nested call: it would wait for a call that waits for its own parent",
          "declare the files that the outer tool touches as its keys",
        );
      }
      return false;
    }
    entry.running = true;
    return true;
  }

  /** Earlier calls in conflict, and later ones that run already (a rewritten call may claim what they hold). */
  #blockers(entry: Entry): Entry[] {
    const claim = entry.claim!;
    const found = new Set<Entry>();
    const seen = new Set<Entry>();
    const look = (others: Iterable<Entry>) => {
      for (const other of others) {
        const conflict = claim.alone || other.claim!.alone;
        if (!conflict || !(other.running || isBefore(other, entry)) || isFamily(entry, other)) continue;
        // One that isn't running and can't before this one is over would wait for ever.
        if (!other.running && this.#nested > 0 && leadsTo(other, entry, seen)) continue;
        found.add(other);
      }
    };
    if (claim.keys?.length !== 0) look(this.#wide);
    if (claim.keys === undefined) {
      for (const holders of this.#byKey.values()) look(holders);
    } else {
      for (const key of claim.keys) look(this.#byKey.get(key) ?? []);
    }
    return [...found];
  }

  #drop(entry: Entry): void {
    const keys = entry.claim?.keys;
    this.#wide.delete(entry);
    for (const key of keys ?? []) {
      const holders = this.#byKey.get(key);
      holders?.delete(entry);
      if (holders?.size === 0) this.#byKey.delete(key);
    }
    entry.claim = undefined;
  }

  #wakeAll(): void {
    // In order of arrival: an earlier call in line takes what a later one also waits for.
    for (const entry of [...this.#live]) entry.wake?.();
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.order < b.order || (a.order === b.order && a.place < b.place);
}

/** Does `from` wait for `target`, itself, by a call nested in it, or by way of others? `seen` led nowhere. */
function leadsTo(from: Entry, target: Entry, seen: Set<Entry>): boolean {
  if (from === target) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  if (from.wake && from.waitsFor.some((other) => leadsTo(other, target, seen))) return true;
  for (const nested of from.nested) if (leadsTo(nested, target, seen)) return true;
  return false;
}

function sameClaim(a: Claim, b: Claim): boolean {
  return a.alone === b.alone && a.keys?.length === b.keys?.length &&
    (a.keys?.every((key, index) => key === b.keys?.[index]) ?? true);
}

/** A call never waits for itself, for one that it is nested in, or for one nested in it. */
function isFamily(a: Entry, b: Entry): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(inner: Entry, outer: Entry): boolean {
  for (let at: Entry | undefined = inner; at; at = at.parent) if (at === outer) return true;
  return false;
}

class ScheduleTicket implements Ticket {
  readonly entry: Entry;
  readonly #schedule: Schedule;
  constructor(schedule: Schedule, entry: Entry) {
    this.#schedule = schedule;
    this.entry = entry;
  }
  declare(claim: Claim): void {
    this.#schedule.declare(this.entry, claim);
  }
  enter(claim: Claim, signal?: () => AbortSignal): Promise<void> | undefined {
    return this.#schedule.enter(this.entry, claim, signal);
  }
  leave(): void {
    this.#schedule.leave(this.entry);
  }
}
