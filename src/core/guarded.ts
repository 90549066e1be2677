/**
 * Files that say what runs here, now or at a later start: settings, hooks, plugins, servers, what is trusted. No tool
 * writes them without a rule that means them, whether they exist or not.
 */
import { dirs } from "./dirs.ts";
import { infoOf } from "./local_read.ts";
import { inside, join, realPath } from "./paths.ts";
import { findProject, PROJECT_FOLDER } from "./project.ts";
import { type FileInfo, host } from "./runtime.ts";
import type { Trusted } from "./settings.ts";
import { namesIn } from "./upkeep.ts";

const SERVERS = ".mcp.json";

/** Files that are looked through for another name of one file. */
const MOST_LOOKED = 5_000;

export class GuardedFiles {
  /** The project's folder, looked for when it is needed: the names of folders above it say nothing. */
  #found: string | undefined;
  #known: readonly string[] | undefined;
  readonly #cwd: string;
  readonly #trusted: Trusted;
  readonly #named: readonly string[];

  /** `cwd` is a real path. `trusted` knows scripts and other files that are used; `named`: those of the command line. */
  constructor(cwd: string, trusted: Trusted = {}, named: readonly string[] = []) {
    this.#cwd = cwd;
    this.#trusted = trusted;
    this.#named = named;
  }

  get #root(): string {
    return this.#found ??= findProject(this.#cwd)?.root ?? this.#cwd;
  }

  /** Is a file guarded? `path` is a real path. */
  has(path: string): boolean {
    const parts = (inside(this.#root, path) ?? path).split("/").map(plainly);
    if (parts.includes(PROJECT_FOLDER) || parts.at(-1) === SERVERS) return true;
    const places = [...this.#known ??= [...usersPlaces(), ...this.#used()], ...this.#linked()];
    const plain = plainly(path);
    return places.some((place) => inside(plainly(place), plain) !== undefined) ||
      this.#isOtherName(path, places);
  }

  /** What hooks and plugins are made of, wherever it stands; as real paths. */
  #used(): string[] {
    const { project, pins } = this.#trusted;
    const content = project?.content;
    const ofProject = content ? [...content.files.keys()].map((name) => content.pathOf(name)) : [];
    const ofUser = Object.values(pins?.plugins ?? {}).flatMap((inputs) => Object.keys(inputs));
    const own = [dirs().config, ...content ? [content.folder] : []];
    const elsewhere = [...ofProject, ...ofUser].filter((path) =>
      own.every((folder) => inside(folder, path) === undefined)
    );
    return [...elsewhere, ...Object.keys(pins?.scripts ?? {}), ...this.#named].map(realPath);
  }

  /** Where the project's own are links, what they lead to. */
  #linked(): string[] {
    return [PROJECT_FOLDER, SERVERS].map((name) => join(this.#root, name))
      .filter((path) => lookAt(path, true)?.kind === "symlink").map(realPath);
  }

  /** A file with several names may be one of them under another name. */
  #isOtherName(path: string, places: readonly string[]): boolean {
    const info = lookAt(path);
    if (info?.kind !== "file" || info.nlink < 2) return false;
    const own = [PROJECT_FOLDER, SERVERS].map((name) => join(this.#root, name));
    let left = MOST_LOOKED;
    const holds = (place: string): boolean => {
      const found = lookAt(place, true);
      if (!found) return false;
      // Nobody can tell any more: it is taken for one of them.
      if (left-- <= 0) return true;
      if (found.kind === "directory") return namesIn(place).some((name) => holds(join(place, name)));
      return found.ino === info.ino && found.dev === info.dev;
    };
    return [...own, ...places].some(holds);
  }
}

/** The user's, as real paths: what is configured, kept and cached, and what Claude Code's settings say. */
function usersPlaces(): string[] {
  const { config, state, cache } = dirs();
  const claude = ["settings.json", "settings.local.json", "hooks", "plugins"]
    .map((name) => join(host.home(), ".claude", name));
  return [
    ...[config, state, cache, ...claude].map(realPath),
    ...linkedIn(config),
    ...linkedIn(dirs().plugins),
  ];
}

/** What links in a folder lead to: whoever keeps their settings elsewhere has them here as links. */
function linkedIn(folder: string): string[] {
  return namesIn(folder).map((name) => join(folder, name))
    .filter((path) => lookAt(path, true)?.kind === "symlink").map(realPath);
}

/** As a file system may take a name that knows no case, or leaves out what can't be seen. */
function plainly(name: string): string {
  const seen = /^[\x20-\x7e]*$/.test(name) ? name : name.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  const plain = seen.toLowerCase();
  return host.platform === "win32" ? plain.replace(/[. ]+$/, "") : plain;
}

function lookAt(path: string, itself = false): FileInfo | undefined {
  try {
    return infoOf(path, path, itself);
  } catch {
    return undefined;
  }
}
