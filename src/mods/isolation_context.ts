/** What a plugin in a process of its own may ask of the call that it works on, and nothing else of the host. */
import { fromBase64, toBase64 } from "../core/base64.ts";
import { AgentError, quote } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { basename, dirname, inside, join, realPath } from "../core/paths.ts";
import type { Traits } from "../core/tool.ts";
import type { WorkContext } from "../sdk.ts";
import type { Grants } from "./isolation_start.ts";

type Questions = Readonly<
  Record<string, (context: WorkContext, given: readonly unknown[], files: FileGate) => unknown>
>;

const QUESTIONS: Questions = {
  exec: ({ exec }, [command]) => exec(text(command)),
  call: ({ call }, [name, args]) => call(text(name), isRecord(args) ? args : {}),
  ask: ({ ask }, [question, choices]) => ask(text(question), choices as readonly string[] | undefined),
  identify: ({ identify }, [path]) => identify(text(path)),
  locate: ({ locate }, [path]) => locate(text(path)),
  "files.info": ({ files }, [path], gate) => files.info(gate.may("read", path)),
  "files.read": ({ files }, [path], gate) => toBase64(files.read(gate.may("read", path))),
  "files.readUpTo": ({ files }, [path, most], gate) => {
    const found = files.readUpTo(gate.may("read", path), Number(most));
    return found instanceof Uint8Array ? toBase64(found) : found;
  },
  "files.write": ({ files }, [path, bytes, options], gate) =>
    files.write(gate.may("write", path), fromBase64(text(bytes)), isRecord(options) ? options : {}),
  "files.remove": ({ files }, [path], gate) => files.remove(gate.may("write", path, true)),
};

/** Answers one question. Throws, or rejects, with what goes back to the plugin. */
export function answerTo(
  what: string,
  given: readonly unknown[],
  context: WorkContext,
  files: FileGate,
): unknown {
  if (!Object.hasOwn(QUESTIONS, what)) {
    throw new AgentError(`Cannot use ${quote(what)}: a plugin in a process of its own doesn't have it`);
  }
  return QUESTIONS[what]!(context, given, files);
}

/** Which files a call gives: those that its traits name, which were judged, and those that the plugin declares. */
export class FileGate {
  readonly #traits: Traits | undefined;
  readonly #grants: Grants;
  readonly #storage: string;

  constructor(traits: Traits | undefined, grants: Grants, storage: string) {
    this.#traits = traits;
    this.#grants = grants;
    this.#storage = storage;
  }

  /** The real path, if it may be used so. `itself`: a link is not followed. */
  may(access: "read" | "write", given: unknown, itself = false): string {
    const path = text(given);
    const real = itself ? join(realPath(dirname(path)), basename(path)) : realPath(path);
    const named = (this.#traits?.subjects ?? []).filter(({ kind, access: own = this.#traits!.effect }) =>
      kind === "path" && (own === access || own === "write" || own === "run")
    ).map(({ value }) => value);
    const places = [this.#storage, ...this.#grants[access], ...named];
    if (places.some((place) => inside(place, real) !== undefined)) return real;
    throw new AgentError(
      `Cannot ${access} ${quote(path)}: the plugin runs apart, and this call doesn't name that file`,
      `name it in the tool's traits, or add "${access}:PATH" to uses`,
    );
  }
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new AgentError("Cannot use that: a text is needed");
}
