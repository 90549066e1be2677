/** Which folder is the project's. Every start asks, so nothing is read: only what is there is looked at. */
import { dirname, join } from "./paths.ts";
import { exists } from "./upkeep.ts";

/** What a repository brings for `agent`. */
export const PROJECT_FOLDER = ".agent";

export interface ProjectPlace {
  /** A real path. */
  root: string;
  /** It has a `.agent`, whatever that is, a link that leads nowhere included. */
  hasFolder: boolean;
}

/**
 * The nearest folder, from `cwd` (a real path) up, that has a `.agent` or a `.git`. What `.git` says is a stranger's: it
 * is never opened, and may be a file that points elsewhere, or a pipe.
 */
export function findProject(cwd: string): ProjectPlace | undefined {
  for (let root = cwd;; root = dirname(root)) {
    if (exists(join(root, PROJECT_FOLDER))) return { root, hasFolder: true };
    if (exists(join(root, ".git"))) return { root, hasFolder: false };
    if (dirname(root) === root) return undefined;
  }
}
