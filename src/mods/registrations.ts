/**
 * What one plugin registered. Tools reach the registry when all of it is published, so that a plugin that is still being
 * set up changes no turn, and a reload replaces everything at once.
 */
import type { Handler } from "../core/events.ts";
import type { PlainTool, Registry } from "../core/registry.ts";
import type { ModCommand } from "../sdk.ts";

export class Registrations {
  readonly #registry: Registry;
  /** With the removers of those that are published. */
  readonly #tools = new Map<PlainTool, (() => void) | undefined>();
  #isPublished = false;
  handlers: readonly Handler[] = [];
  commands: readonly ModCommand[] = [];
  /** A tool's schema is zod's, wherever that came from. */
  bringsZod = false;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get tools(): string[] {
    return [...this.#tools.keys()].map(({ tool }) => tool.name);
  }

  addTool(tool: PlainTool): () => void {
    this.#tools.set(tool, this.#isPublished ? this.#registry.add(tool) : undefined);
    return () => {
      this.#tools.get(tool)?.();
      this.#tools.delete(tool);
    };
  }

  addHandler(handler: Handler): () => void {
    this.handlers = [...this.handlers, handler];
    return () => {
      this.handlers = this.handlers.filter((other) => other !== handler);
    };
  }

  addCommand(command: ModCommand): () => void {
    this.commands = [...this.commands, command];
    return () => {
      this.commands = this.commands.filter((other) => other !== command);
    };
  }

  publish(): void {
    this.#isPublished = true;
    for (const [tool, remove] of this.#tools) if (!remove) this.#tools.set(tool, this.#registry.add(tool));
  }

  /** Tools leave the registry, and can be published again. */
  unpublish(): void {
    this.#isPublished = false;
    for (const [tool, remove] of [...this.#tools].reverse()) {
      remove?.();
      this.#tools.set(tool, undefined);
    }
  }

  /** All of it goes, for good. */
  clear(): void {
    this.unpublish();
    this.#tools.clear();
    this.handlers = [];
    this.commands = [];
  }
}
