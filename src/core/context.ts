/** What a running tool is given. A class, because one is made for every call. */
import type { Accepted } from "./accept.ts";
import type { Files } from "./files.ts";
import type { LateText } from "./late_text.ts";
import { lookAlike } from "./look_alike.ts";
import type { OverflowFile } from "./overflow.ts";
import { realPath, resolvePath } from "./paths.ts";
import type { ReadRecords } from "./reads.ts";
import type { RedactStream } from "./redact.ts";
import type { Entry } from "./registry.ts";
import type { Result } from "./result.ts";
import type { AnyTool, Context, Place, StreamGate, Traits } from "./tool.ts";
import type { Turn } from "./turn.ts";
import { askedOf } from "./views.ts";

/** What a context needs of its call. */
export interface Caller {
  readonly id: string;
  readonly person: boolean;
  readonly accepted: Accepted | undefined;
  readonly signal: AbortSignal;
  output(text: LateText, stream: "stdout" | "stderr"): void;
  nested(name: string, args: Record<string, unknown>, direct?: Direct): Promise<Result>;
}

/** A nested call of a tool given itself, not by name; `present` is the voice that its result has there. */
export interface Direct {
  readonly tool: AnyTool;
  readonly present: AnyTool["present"];
}

/** Where a call happens: the session's folder as it was when the place was made. */
export class TurnPlace implements Place {
  readonly cwd: string;

  constructor(cwd: string) {
    this.cwd = cwd;
    // Tools and plugins take these apart from the object, so they must not need `this`.
    this.resolve = this.resolve.bind(this);
    this.identify = this.identify.bind(this);
    this.locate = this.locate.bind(this);
  }

  resolve(path: string): string {
    return resolvePath(this.cwd, path);
  }

  identify(path: string): string {
    return realPath(resolvePath(this.cwd, path));
  }

  locate(path: string): string {
    return lookAlike(resolvePath(this.cwd, path));
  }
}

export class CallContext implements Context {
  readonly #turn: Turn;
  readonly #entry: Entry;
  readonly #caller: Caller;
  readonly #place: Place;
  #files: Files | undefined;

  constructor(turn: Turn, entry: Entry, caller: Caller, place: Place) {
    this.#turn = turn;
    this.#entry = entry;
    this.#caller = caller;
    this.#place = place;
  }

  get id(): string {
    return this.#caller.id;
  }
  get person(): boolean {
    return this.#caller.person;
  }
  get cwd(): string {
    return this.#place.cwd;
  }
  get files(): Files {
    return this.#files ??= this.#turn.files(this.#caller.id);
  }
  get traits(): Traits {
    return this.#caller.accepted!.traits;
  }
  get reads(): ReadRecords {
    return this.#turn.session.reads;
  }
  get withholds(): Context["withholds"] {
    return this.#turn.policy.withholds(askedOf(this.#turn, this.#entry, this.#caller.accepted!, undefined));
  }
  /** Made when asked for: most tools never look. */
  get signal(): AbortSignal {
    return this.#caller.signal;
  }
  get gate(): StreamGate {
    return new TurnGate(this.#turn, this.#entry);
  }

  // Tools take functions out of their context, so each is one that needs no `this`, made when it is asked for.

  get resolve(): Place["resolve"] {
    return this.#place.resolve;
  }
  get identify(): Place["identify"] {
    return this.#place.identify;
  }
  get locate(): Place["locate"] {
    return this.#place.locate;
  }
  get moveTo(): Context["moveTo"] {
    return (folder) => {
      this.#turn.session.cwd = folder;
    };
  }
  get output(): Context["output"] {
    return (text, stream = "stdout") => this.#caller.output(text, stream);
  }
  get secret(): Context["secret"] {
    return (name) => this.#turn.secrets.get(name);
  }
  get call(): Context["call"] {
    return (name, args) => this.#caller.nested(name, args);
  }
  get run(): Context["run"] {
    return (tool, args, present) => this.#caller.nested(tool.name, args, { tool, present });
  }
  get log(): Context["log"] {
    const { gate, emit } = this.#turn;
    return (message) =>
      emit({ type: "notice", source: this.#entry.source, text: gate.redact(message), at: gate.stamp().at });
  }
}

/** What a tool that streams works with. It may outlive the call, so it holds neither that nor the turn. */
class TurnGate implements StreamGate {
  readonly limit: number;
  readonly #gate: Turn["gate"];
  readonly #secrets: Turn["secrets"];
  readonly #tool: string;

  constructor({ gate, secrets }: Turn, { names, tool }: Entry) {
    this.limit = gate.limitOf(names, tool.limit).chars;
    this.#gate = gate;
    this.#secrets = secrets;
    this.#tool = tool.name;
  }

  redaction(): RedactStream {
    return this.#gate.redactor.stream();
  }

  overflow(): OverflowFile | undefined {
    return this.#gate.overflow.open(this.#tool);
  }

  secretsNamedIn(command: string): Record<string, string> {
    return this.#secrets.namedIn(command);
  }
}
