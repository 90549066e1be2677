/**
 * What a repository brings that can take effect, read once: all of its `.agent`, its `.mcp.json`, and files elsewhere
 * that these use. Names and contents come to one hash, and what is loaded later is held against the hashes here or is a
 * text that was read here.
 */
import { dirs } from "./dirs.ts";
import { AgentError, fileError, quote } from "./errors.ts";
import { type FileMark, isUnchanged, markOf } from "./file_mark.ts";
import { sha256 } from "./hash.ts";
import { infoOf, readFileUpTo } from "./local_read.ts";
import { dirname, inside, isAbsolute, join, normalize, realPath } from "./paths.ts";
import { PROJECT_FOLDER } from "./project.ts";
import { type FileInfo, host } from "./runtime.ts";
import { entryOf, type FileRecord } from "./trust_store.ts";

/** What a store keeps of a content. */
export interface KnownContent {
  hash: string;
  /** When contents were last hashed. */
  checkedMs: number;
  files: Readonly<Record<string, FileRecord>>;
  /** Those that are used as they were read. */
  texts: Readonly<Record<string, string>>;
}

export interface ReadOptions {
  /** What is known of it from before. */
  known?: KnownContent | undefined;
  /** More files, relative to the project. */
  extras?: readonly string[];
  /** Keeps the texts of all files, as far as there is room, for people. */
  forPeople?: boolean;
}

const MOST_FILES = 5_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_DEPTH = 40;
/** Settings and manifests are small; a larger one is no text that anybody has read. */
const MOST_TEXT = 1024 * 1024;
/** Texts that are kept to show a change. */
const MOST_SHOWN = 64 * 1024;
const MOST_SHOWN_IN_ALL = 1024 * 1024;

/** Files whose text is used as it stands here, below the project's folder. */
const USED = /^(?:settings(?:\.local)?\.json|plugins\/[^/]+\/package\.json)$/;

export class Content {
  /** The project, a real path. */
  readonly root: string;
  /** Its `.agent`, a real path. */
  readonly folder: string;
  readonly hash: string;
  readonly checkedMs: number;
  /** By name: relative to the project, what is in its `.agent` under that name. */
  readonly files: ReadonlyMap<string, FileRecord>;
  readonly texts: ReadonlyMap<string, string>;
  /** For people: more texts, as far as they were kept. */
  readonly shown: ReadonlyMap<string, string>;
  /** Something had to be hashed. */
  readonly hashed: boolean;

  constructor(reader: Reader) {
    this.root = reader.root;
    this.folder = reader.folder;
    this.files = new Map([...reader.files].sort(([a], [b]) => a < b ? -1 : 1));
    this.texts = reader.texts;
    this.shown = reader.shown;
    this.checkedMs = reader.startedMs;
    const { known } = reader;
    this.hashed = reader.hashed || known === undefined || Object.keys(known.files).length !== this.files.size;
    this.hash = this.hashed || known === undefined ? hashOf(this.files) : known.hash;
  }

  known(): KnownContent {
    const { hash, checkedMs, files, texts } = this;
    return { hash, checkedMs, files: Object.fromEntries(files), texts: Object.fromEntries(texts) };
  }

  /** The name of a real path here; `undefined` outside of the project. */
  nameOf(path: string): string | undefined {
    const own = inside(this.folder, path);
    if (own !== undefined) return join(PROJECT_FOLDER, own);
    return inside(this.root, path);
  }

  /** The SHA-256 of a file by its real path; `undefined` where it doesn't belong here. */
  sha256Of(path: string): string | undefined {
    const name = this.nameOf(path);
    return name === undefined ? undefined : this.files.get(name)?.is;
  }

  /** The text of a file that belongs here. Throws where it isn't what it was. */
  textOf(name: string): string {
    const kept = this.texts.get(name);
    if (kept !== undefined) return kept;
    const path = this.pathOf(name);
    const bytes = readFileUpTo(path, MOST_TEXT);
    const isSame = bytes instanceof Uint8Array && sha256(bytes) === this.files.get(name)?.is;
    const text = isSame ? host.decode(bytes) : undefined;
    if (text === undefined) throw odd(path, "it has changed since it was looked at");
    return text;
  }

  /** Names directly in a folder of the project's own. */
  namesIn(folder: string): string[] {
    const names = new Set<string>();
    for (const name of this.files.keys()) {
      const rest = inside(folder, name);
      if (rest) names.add(rest.split("/")[0]!);
    }
    return [...names];
  }

  /** A name with the link that it may be followed. */
  follow(name: string): string {
    const { is } = this.files.get(name) ?? {};
    if (!is?.startsWith(LINK)) return name;
    const target = is.slice(LINK.length);
    const path = isAbsolute(target) ? normalize(target) : join(dirname(this.pathOf(name)), target);
    return this.nameOf(realPath(path)) ?? name;
  }

  pathOf(name: string): string {
    const own = inside(PROJECT_FOLDER, name);
    return own === undefined ? join(this.root, name) : join(this.folder, own);
  }
}

const LINK = "-> ";
const ABSENT = "absent";

/** Reads it all. Throws where something can't be trusted whatever is in it. */
export function readContent(root: string, options: ReadOptions = {}): Content {
  const reader = new Reader(root, options);
  reader.read();
  return new Content(reader);
}

class Reader {
  readonly root: string;
  readonly folder: string;
  readonly known: KnownContent | undefined;
  readonly startedMs = Date.now();
  readonly files = new Map<string, FileRecord>();
  readonly texts = new Map<string, string>();
  readonly shown = new Map<string, string>();
  hashed = false;
  readonly #options: ReadOptions;
  #bytes = 0;
  #shownChars = 0;

  constructor(root: string, options: ReadOptions) {
    this.root = root;
    this.#options = options;
    this.known = options.known;
    this.folder = this.#ownFolder();
  }

  read(): void {
    this.#folder(this.folder, PROJECT_FOLDER, 0);
    for (const name of [".mcp.json", ...this.#options.extras ?? []]) this.#extra(name);
  }

  /** The real `.agent`. As a link it must stay in the project, and out of what is the user's. */
  #ownFolder(): string {
    const path = join(this.root, PROJECT_FOLDER);
    const info = infoOf(path, path, true);
    if (info?.kind === "symlink") {
      this.#add(PROJECT_FOLDER, { is: LINK + host.files.readlink(path) });
    }
    const folder = realPath(path);
    const config = realPath(dirs().config);
    if (!inside(this.root, folder)) throw leadsOut(path, "the project");
    if (inside(config, folder) !== undefined || inside(folder, config) !== undefined) {
      throw new AgentError(`Cannot trust ${quote(path)}: it leads to your own config folder`);
    }
    if (infoOf(folder, path)?.kind !== "directory") throw odd(path, "it is not a folder");
    return folder;
  }

  #folder(path: string, name: string, depth: number): void {
    if (depth > MOST_DEPTH) throw odd(path, "its folders are too deep");
    let names: string[];
    try {
      names = host.files.readDir(path);
    } catch (error) {
      throw fileError("read", path, error);
    }
    for (const one of names.sort()) {
      // A repository in there is not what takes effect, and whoever imports from it is refused.
      if (one !== ".git") this.#entry(join(path, one), `${name}/${one}`, depth);
    }
  }

  #entry(path: string, name: string, depth: number): void {
    const info = infoOf(path, path, true);
    if (!info) throw odd(path, "it is gone while it is looked at");
    if (info.kind === "directory") return this.#folder(path, name, depth + 1);
    if (info.kind === "symlink") {
      if (isUsed(name)) throw odd(path, "it is a link, and must be a file");
      if (inside(this.folder, realPath(path)) === undefined || !infoOf(path)) {
        throw leadsOut(path, PROJECT_FOLDER);
      }
      return this.#add(name, { is: LINK + host.files.readlink(path) });
    }
    this.#file(path, name, info);
  }

  /** A single file of the project; through links, as long as they stay in it. */
  #extra(name: string): void {
    const path = join(this.root, name);
    const real = realPath(path);
    if (inside(this.root, real) === undefined) throw leadsOut(path, "the project");
    const info = infoOf(real);
    if (info) return this.#file(real, name, info);
    if (name !== ".mcp.json") this.#add(name, { is: ABSENT });
  }

  #file(path: string, name: string, info: FileInfo): void {
    if (info.kind !== "file") throw odd(path, `it is a ${info.kind}, which nobody can look through`);
    const mark = markOf(info);
    const before = this.#before(name);
    const used = isUsed(name);
    const text = used ? this.known?.texts[name] : undefined;
    const isKnown = before?.size !== undefined &&
      isUnchanged(mark, before as FileMark, this.known!.checkedMs) &&
      used === (text !== undefined) && !this.#options.forPeople;
    if (isKnown) {
      if (text !== undefined) this.texts.set(name, text);
      return this.#add(name, before!);
    }
    this.hashed = true;
    const bytes = readFileUpTo(path, used ? MOST_TEXT : MOST_BYTES);
    if (!(bytes instanceof Uint8Array)) throw odd(path, "it is too large");
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_BYTES) throw odd(this.folder, `it holds more than ${MOST_BYTES >> 20} MB`);
    if (used) {
      const decoded = host.decode(bytes);
      if (decoded === undefined) throw odd(path, "it is not UTF-8 text");
      this.texts.set(name, decoded);
    }
    this.#show(name, bytes);
    this.#add(name, { is: sha256(bytes), ...mark });
  }

  #before(name: string): FileRecord | undefined {
    return this.known && entryOf(this.known.files, name);
  }

  #show(name: string, bytes: Uint8Array): void {
    if (!this.#options.forPeople || bytes.length > MOST_SHOWN || name.includes("/node_modules/")) return;
    const text = host.decode(bytes);
    if (text === undefined || text.includes("\0") || this.#shownChars + text.length > MOST_SHOWN_IN_ALL) {
      return;
    }
    this.#shownChars += text.length;
    this.shown.set(name, text);
  }

  #add(name: string, record: FileRecord): void {
    if (record.size === undefined && this.#before(name)?.is !== record.is) this.hashed = true;
    this.files.set(name, record);
    if (this.files.size > MOST_FILES) throw odd(this.folder, `it holds more than ${MOST_FILES} files`);
  }
}

function isUsed(name: string): boolean {
  return USED.test(inside(PROJECT_FOLDER, name) ?? "");
}

function hashOf(files: ReadonlyMap<string, FileRecord>): string {
  return sha256(JSON.stringify([...files].map(([name, { is }]) => [name, is])));
}

function leadsOut(path: string, of: string): AgentError {
  return odd(path, `it leads out of ${of}`);
}

function odd(path: string, why: string): AgentError {
  return new AgentError(`Cannot trust ${quote(path)}: ${why}`);
}
