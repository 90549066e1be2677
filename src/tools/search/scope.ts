/** Where a search looks, and how what it finds is named. */
import { AgentError, quote } from "../../core/errors.ts";
import { inside, join } from "../../core/paths.ts";
import { type FileKind, host } from "../../core/runtime.ts";
import type { Context } from "../../core/tool.ts";
import { missingHint } from "../missing.ts";
import { judgedPath } from "../path_traits.ts";

export interface Scope {
  /** Real, absolute: links at its beginning are followed. */
  root: string;
  kind: FileKind;
  /** As it was written; `.` where nothing was. */
  written: string;
  /** A path that was named in words, and isn't just the working folder: who names it means it, ignored or not. */
  isNamed: boolean;
  /** A path below the root as people know it: relative to the working folder where it is inside. */
  shown(path: string): string;
}

/** Throws where nothing is there. `what`: the verb of the error. */
export function scopeOf(path: string | undefined, what: string, context: Context): Scope {
  const { cwd, resolve, traits } = context;
  const root = judgedPath(traits), written = path ?? ".", given = resolve(written);
  const kind = kindOf(root);
  if (kind === undefined) {
    throw new AgentError(
      `Cannot ${what} ${quote(written)}: no such file or folder`,
      missingHint(written, context),
    );
  }
  const shown = (found: string) => {
    const below = inside(root, found);
    // What isn't below it may be told of all the same, as a broken ignore file above it.
    const full = below === undefined ? found : below === "" ? given : join(given, below);
    return inside(cwd, full) || full;
  };
  return { root, kind, written, isNamed: path !== undefined && given !== cwd, shown };
}

function kindOf(path: string): FileKind | undefined {
  try {
    return host.files.stat(path).kind;
  } catch {
    return undefined;
  }
}
