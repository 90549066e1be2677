/** Files below a folder that fit a glob. */
import type { Dirent } from "node:fs";
import { glob as search } from "tinyglobby";
import { inside, join } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { asGlob } from "./patterns.ts";

/** The walker sees the folder under this name, so that no glob leads out of it and no name in it is read as a glob. */
const JAIL = host.platform === "win32" ? "C:/jail" : "/jail";

export interface Walked {
  /** Absolute. Links, pipes and the like count: whoever opens one looks first. */
  paths: string[];
  /** Folders that could not be listed. */
  unreadable: string[];
}

/** Links are not followed. `closed`: is a folder not to be entered? */
export async function walk(
  folder: string,
  glob: string,
  closed: (name: string, path: string) => boolean,
  signal: AbortSignal,
): Promise<Walked> {
  const { readdir } = host.builtin<typeof import("node:fs")>("node:fs");
  const unreadable: string[] = [];
  const list = (seen: string, _: unknown, done: (error: null, entries: Seen[]) => void) => {
    const below = inside(JAIL, seen.replace(/(?<=.)\/$/, ""));
    if (below === undefined) return done(null, []);
    const real = join(folder, below);
    readdir(real, { withFileTypes: true }, (error, entries = []) => {
      if (error) unreadable.push(real);
      done(
        null,
        entries.filter((entry) => !(entry.isDirectory() && closed(entry.name, join(real, entry.name)))).map(
          asSeen,
        ),
      );
    });
  };
  const found = await search([asGlob(glob)], {
    cwd: JAIL,
    // Only this one is used: links are not followed, and files are not looked at.
    fs: { readdir: list as unknown as typeof readdir },
    signal,
    debug: false,
    dot: false,
    expandDirectories: false,
    extglob: false,
    followSymbolicLinks: false,
  });
  signal.throwIfAborted();
  const paths = found.filter((path) => !path.startsWith("../")).map((path) =>
    `${folder === "/" ? "" : folder}/${path}`
  );
  return { paths, unreadable };
}

interface Seen {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Whatever is no folder is a file to the walker. */
function asSeen(entry: Dirent): Seen {
  const folder = entry.isDirectory();
  return {
    name: entry.name,
    isFile: () => !folder,
    isDirectory: () => folder,
    isSymbolicLink: () => false,
  };
}
