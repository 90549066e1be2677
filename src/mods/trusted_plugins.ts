/**
 * Are plugins what their person trusts? A project's plugin is made of files that were trusted with the project, and of
 * nothing else; a user's own is what it was when it was last seen. Both are judged by the bytes that were bundled.
 */
import { dirs } from "../core/dirs.ts";
import { messageOf, printable } from "../core/errors.ts";
import { sha256 } from "../core/hash.ts";
import { inside, join } from "../core/paths.ts";
import { host } from "../core/runtime.ts";
import type { Trusted } from "../core/settings.ts";
import { configFolder } from "../core/trust.ts";
import type { Content } from "../core/trust_content.ts";
import { HOW } from "../core/trust_hooks.ts";
import { entryOf, readTrust, type UserPins } from "../core/trust_store.ts";
import { textsOfUser } from "../core/trust_user.ts";
import { pinUser } from "../core/trust_write.ts";
import { namesIn } from "../core/upkeep.ts";
import type { Bundle } from "./bundle.ts";
import type { ClaudePlugin } from "./claude_plugins.ts";
import type { Found } from "./places.ts";
import { claudePluginsIn, type Search } from "./search.ts";

/** Files of a plugin with their SHA-256. */
type Hashes = Readonly<Record<string, string>>;

/**
 * The same as it is trusted now: nothing of the user's own where that can't be told any more, and the project as it was
 * where it isn't trusted as it stands.
 */
export async function trustedNow(trusted: Trusted): Promise<Trusted> {
  const { project, pins } = trusted;
  const now = { ...trusted };
  if (pins) now.pins = entryOf(readTrust().users, configFolder()) ?? { ...pins, plugins: {} };
  if (project?.content) {
    const { lookAt } = await import("../core/trust_project.ts");
    const { content = project.content } = lookAt(project.content.root, project.once === true);
    now.project = { ...project, content };
  }
  return now;
}

/** A person added or removed plugins of their own. Nothing where none have been looked at yet: the first start does. */
export function changePins(
  change: (plugins: Readonly<Record<string, Hashes>>) => Record<string, Hashes>,
): void {
  const config = configFolder();
  if (!entryOf(readTrust().users, config)?.plugins) return;
  pinUser(config, (before) => ({ ...before!, plugins: change(before!.plugins ?? {}) }));
}

/** For who looks without a session: plugins of Claude Code's whose hooks are what they were. */
export function trustedClaudePlugins(search: Search, warn: (text: string) => void): ClaudePlugin[] {
  return new PluginTrust(search.settings.trusted, warn).claudePlugins(
    claudePluginsIn(search),
    dirs().plugins,
  );
}

export class PluginTrust {
  readonly #content: Content | undefined;
  readonly #pins: UserPins | undefined;
  /** The person trusts the whole project for this run. */
  readonly #once: boolean;
  readonly #warn: (text: string) => void;
  /** The user's plugins as they are now. */
  readonly #seen = new Map<string, Hashes>();
  /** Entries that are there, also where they couldn't be looked through. */
  readonly #there = new Set<string>();

  constructor({ project, pins }: Trusted, warn: (text: string) => void) {
    this.#content = project?.content;
    this.#once = project?.once === true;
    this.#pins = pins;
    this.#warn = warn;
  }

  /** Throws a sentence that says what is wrong and what to do. */
  vouch({ from, entry }: Found, { inputs }: Bundle): void {
    if (from === "project") return this.#vouchForProject(inputs);
    if (from !== "user" || !this.#pins) return;
    const now = Object.fromEntries(inputs.map(({ path, sha256 }) => [path, sha256]));
    this.#seen.set(entry, now);
    this.#compare(entry, now);
  }

  /** The user's folders that bring Claude Code's hooks, without those that changed. */
  claudePlugins(found: readonly ClaudePlugin[], place: string): ClaudePlugin[] {
    return found.flatMap((plugin) => {
      const { name, root, file } = plugin;
      if (!this.#pins || inside(place, root) === undefined) return [plugin];
      this.#there.add(file);
      try {
        const now = hashesIn(root);
        this.#seen.set(file, now);
        this.#compare(file, now);
        const bytes = host.files.read(file);
        const text = host.decode(bytes);
        // Read again, since a folder may hold much; what is used is what was compared.
        const then = entryOf(now, file);
        const isSame = then === undefined || then.startsWith("-> ") || sha256(bytes) === then;
        if (text === undefined || !isSame) {
          throw new Error(`${printable(file)} changed while it was looked at`);
        }
        return [{ ...plugin, text }];
      } catch (error) {
        this.#warn(`the hooks of the plugin ${printable(name)} are off: ${messageOf(error)}`);
        return [];
      }
    });
  }

  /** After all have been looked at: what is seen for the first time is remembered, what is gone is told. */
  settle(found: readonly Found[]): void {
    const plugins = this.#pins?.plugins;
    if (!this.#pins) return;
    if (!plugins) {
      const now = { ...this.#pins, plugins: Object.fromEntries(this.#seen) };
      return this.#save((before) => ({ ...before ?? now, plugins: now.plugins }), now);
    }
    // One that is switched off, or can't be built, is there all the same.
    const there = new Set([...this.#there, ...this.#seen.keys(), ...found.map(({ entry }) => entry)]);
    const gone = Object.keys(plugins).filter((entry) => !there.has(entry));
    if (gone.length > 0) {
      this.#warn(
        `${gone.map(printable).join(", ")} of your plugins ${gone.length > 1 ? "are" : "is"} gone; ${HOW}`,
      );
    }
  }

  #vouchForProject(inputs: Bundle["inputs"]): void {
    const content = this.#content!;
    for (const { path, sha256 } of inputs) {
      const trusted = content.sha256Of(path);
      if (trusted === sha256) continue;
      const name = printable(path);
      if (content.nameOf(path) === undefined) {
        throw new Error(`it uses ${name}, which is outside of its project`);
      }
      if (trusted !== undefined) {
        throw new Error(`${name} changed since it was trusted; agent trust shows how`);
      }
      if (!this.#once) {
        throw new Error(`it uses ${name}, which was not trusted with it; agent trust shows it`);
      }
    }
  }

  #compare(entry: string, now: Hashes): void {
    const plugins = this.#pins?.plugins;
    if (!plugins) return;
    const before = entryOf(plugins, entry);
    if (!before) throw new Error(`${printable(entry)} is new; ${HOW}`);
    const odd = [...new Set([...Object.keys(now), ...Object.keys(before)])]
      .find((path) => entryOf(now, path) !== entryOf(before, path));
    if (odd !== undefined) throw new Error(`${printable(odd)} changed since it was trusted; ${HOW}`);
  }

  #save(change: (before: UserPins | undefined) => UserPins, now: UserPins): void {
    try {
      pinUser(configFolder(), change, this.#seen.size > 0 ? textsOfUser(now) : undefined);
    } catch (error) {
      this.#warn(`your own plugins can't be watched: ${messageOf(error)}`);
    }
  }
}

const MOST_FILES = 5_000;

/** All files of a folder, what is installed in it too, but for repositories. */
export function hashesIn(folder: string): Hashes {
  const found: Record<string, string> = {};
  let count = 0;
  const walk = (path: string) => {
    for (const name of namesIn(path).sort()) {
      if (name === ".git") continue;
      if (++count > MOST_FILES) throw new Error(`${printable(folder)} holds more than ${MOST_FILES} files`);
      const one = join(path, name);
      const { kind } = host.files.lstat(one);
      if (kind === "directory") walk(one);
      else if (kind === "symlink") found[one] = `-> ${host.files.readlink(one)}`;
      else found[one] = kind === "file" ? sha256(host.files.read(one)) : kind;
    }
  };
  walk(folder);
  return found;
}
