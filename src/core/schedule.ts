/**
 * What may run together. Readers of a key share it, a writer has it alone, a call without keys claims everything
 * (`path:` one file, `tree:` a folder with all that is in it, `kind:*` all keys of a kind; any other key is what it is to its
 * tool); conflicts are settled in the order in which calls arrived.
 *
 * A call declares its claims when it arrives, before anything that may take time, so a slow hook of an earlier
 * call never lets a later one overtake it. `enter` takes the claims the call has in the end.
 */
import { AgentError } from "./errors.ts";
import { inside } from "./paths.ts";
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
export class Ticket {
  readonly #schedule: Schedule;
  readonly parent: Ticket | undefined;
  /** Arrival of the outermost call, then of this one. */
  readonly order: number;
  readonly place: number;
  claim: Claim | undefined;
  running = false;
  /** Calls that it made and that aren't over. */
  readonly nested = new Set<Ticket>();
  wake: (() => void) | undefined;
  /** While waiting: the tickets it waits for. */
  waitsFor: readonly Ticket[] = [];

  constructor(schedule: Schedule, place: number, parent: Ticket | undefined) {
    this.#schedule = schedule;
    this.parent = parent;
    this.order = parent?.order ?? place;
    this.place = place;
  }

  /** Says what the call will probably claim; later calls that conflict with it wait. */
  declare(claim: Claim): void {
    this.#schedule.declare(this, claim);
  }

  /**
   * Waits until nothing conflicts; `undefined` when that is so already. The signal is asked for only where there is
   * something to wait for; its abort rejects with its reason.
   */
  enter(claim: Claim, signal?: () => AbortSignal): Promise<void> | undefined {
    return this.#schedule.enter(this, claim, signal);
  }

  /** Ends the claim. Safe to call more than once. */
  leave(): void {
    this.#schedule.leave(this);
  }
}

export class Schedule {
  readonly #live = new Set<Ticket>();
  readonly #byKey = new Map<string, Set<Ticket>>();
  /** How many live tickets are nested in others: without any there are no cycles. */
  #nested = 0;
  /** Live claims of whole folders or kinds: without any, keys are compared as they are. */
  #sets = 0;
  /** Tickets that claim everything. */
  readonly #wide = new Set<Ticket>();
  #next = 0;

  /** A ticket in order of arrival; a nested call passes its parent's and inherits its claims. */
  take(parent?: Ticket): Ticket {
    const ticket = new Ticket(this, this.#next++, parent);
    this.#live.add(ticket);
    if (parent) {
      parent.nested.add(ticket);
      this.#nested++;
    }
    return ticket;
  }

  /** How many calls hold or wait for something. */
  get size(): number {
    return this.#live.size;
  }

  declare(ticket: Ticket, claim: Claim): void {
    // A call that ended early may still be on its way here; it claims nothing any more.
    if (!this.#live.has(ticket)) throw new AgentError("Cannot claim anything: the call has ended");
    this.#drop(ticket);
    ticket.claim = claim;
    if (claim.keys === undefined) this.#wide.add(ticket);
    else {
      for (const key of claim.keys) {
        if (isSet(key)) this.#sets++;
        const holders = this.#byKey.get(key);
        if (holders) holders.add(ticket);
        else this.#byKey.set(key, new Set([ticket]));
      }
    }
  }

  enter(
    ticket: Ticket,
    claim: Claim,
    makeSignal: (() => AbortSignal) | undefined,
  ): Promise<void> | undefined {
    const declared = ticket.claim;
    this.declare(ticket, claim);
    const started = this.#start(ticket);
    // Who waits for what this call said before may go on now.
    if (declared && !sameClaim(declared, claim)) this.#wakeAll();
    if (started) return undefined;
    return this.#line(ticket, makeSignal?.());
  }

  /** Waits to be woken until `ticket` can start. */
  #line(ticket: Ticket, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        ticket.wake = undefined;
        signal?.removeEventListener("abort", abort);
      };
      const abort = () => {
        settle();
        reject(signal!.reason);
      };
      ticket.wake = () => {
        try {
          if (!this.#start(ticket)) return;
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

  leave(ticket: Ticket): void {
    if (!this.#live.delete(ticket)) return;
    this.#drop(ticket);
    if (ticket.parent?.nested.delete(ticket)) this.#nested--;
    ticket.running = false;
    ticket.wake = undefined;
    this.#wakeAll();
  }

  #start(ticket: Ticket): boolean {
    const blockers = this.#blockers(ticket);
    ticket.waitsFor = blockers;
    if (blockers.length > 0) {
      if (ticket.parent && blockers.some((blocker) => leadsTo(blocker, ticket, new Set()))) {
        throw new AgentError(
          "Cannot run a nested call: it would wait for a call that waits for its own parent",
          "declare the files that the outer tool touches as its keys",
        );
      }
      return false;
    }
    ticket.running = true;
    return true;
  }

  /** Earlier calls in conflict, and later ones that run already (a rewritten call may claim what they hold). */
  #blockers(ticket: Ticket): Ticket[] {
    const claim = ticket.claim!;
    const found = new Set<Ticket>();
    const seen = new Set<Ticket>();
    const look = (others: Iterable<Ticket>) => {
      for (const other of others) {
        const conflict = claim.alone || other.claim!.alone;
        if (!conflict || !(other.running || isBefore(other, ticket)) || isFamily(ticket, other)) continue;
        // One that isn't running and can't before this one is over would wait for ever.
        if (!other.running && this.#nested > 0 && leadsTo(other, ticket, seen)) continue;
        found.add(other);
      }
    };
    if (claim.keys?.length !== 0) look(this.#wide);
    if (claim.keys === undefined) {
      for (const holders of this.#byKey.values()) look(holders);
    } else {
      for (const key of claim.keys) look(this.#byKey.get(key) ?? []);
      if (this.#sets > 0) {
        for (const [key, holders] of this.#byKey) {
          if (claim.keys.some((own) => isIn(own, key) || isIn(key, own))) look(holders);
        }
      }
    }
    return [...found];
  }

  #drop(ticket: Ticket): void {
    const keys = ticket.claim?.keys;
    this.#wide.delete(ticket);
    for (const key of keys ?? []) {
      if (isSet(key)) this.#sets--;
      const holders = this.#byKey.get(key);
      holders?.delete(ticket);
      if (holders?.size === 0) this.#byKey.delete(key);
    }
    ticket.claim = undefined;
  }

  #wakeAll(): void {
    // In order of arrival: an earlier call in line takes what a later one also waits for.
    for (const ticket of [...this.#live]) ticket.wake?.();
  }
}

/** `tree:/a` claims a folder with all that is in it, against `path:/a/b` and `tree:/a/c` alike. */
const TREE = "tree:";
/** `session:*` claims all sessions, those too that calls before it may make. */
const ALL = ":*";

/** Does the key stand for others? */
function isSet(key: string): boolean {
  return key.startsWith(TREE) || key.endsWith(ALL) && !key.startsWith("path:");
}

/** Is `key` one of those that `set` stands for? */
function isIn(key: string, set: string): boolean {
  if (!isSet(set)) return false;
  if (!set.startsWith(TREE)) return key.startsWith(set.slice(0, -1));
  const path = key.startsWith("path:") || key.startsWith(TREE) ? key.slice("path:".length) : undefined;
  return path !== undefined && inside(set.slice(TREE.length), path) !== undefined;
}

function isBefore(a: Ticket, b: Ticket): boolean {
  return a.order < b.order || (a.order === b.order && a.place < b.place);
}

/** Does `from` wait for `target`, itself, by a call nested in it, or by way of others? `seen` led nowhere. */
function leadsTo(from: Ticket, target: Ticket, seen: Set<Ticket>): boolean {
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
function isFamily(a: Ticket, b: Ticket): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(inner: Ticket, outer: Ticket): boolean {
  for (let at: Ticket | undefined = inner; at; at = at.parent) if (at === outer) return true;
  return false;
}
