/** The `agent` that a plugin's `setup` is given, and the checks of what is registered through it. */
import { nearest, quote } from "../core/errors.ts";
import { type EventName, EVENTS, type Handler } from "../core/events.ts";
import { isStrings } from "../core/json.ts";
import { join, makeFolder } from "../core/paths.ts";
import type { Agent, HandlerOptions, ModCommand, ModTool } from "../sdk.ts";
import { isEffect, isZod, modTool, type ModToolParts, type RemoteTool } from "./mod_tool.ts";
import type { Registrations } from "./registrations.ts";

export interface HandleParts extends Omit<ModToolParts, "source" | "mod"> {
  name: string;
  source: string;
  storageFolder: string;
  registrations: Registrations;
  /** What a plugin has to say to people. */
  note(text: string): void;
}

/** The handle, and the ways in for one that runs elsewhere. */
export interface Handle {
  agent: Agent;
  addTool(definition: ModTool<never>, remote?: RemoteTool): () => void;
  addHandler(event: EventName, fn: Handler["fn"], options?: HandlerOptions, ownLimit?: true): () => void;
  /** Made when it is asked for. */
  storage(): string;
}

export function makeHandle(parts: HandleParts): Handle {
  const { name, source, uses, alive, storageFolder, registrations, note } = parts;
  const storage = () => {
    alive();
    const folder = join(storageFolder, name);
    makeFolder(folder, 0o700);
    return folder;
  };
  const addTool: Handle["addTool"] = (definition, remote) => {
    alive();
    const tool = modTool(definition, { ...parts, mod: name, source }, remote);
    registrations.bringsZod ||= isZod(definition.input);
    return registrations.addTool(tool);
  };
  const addHandler: Handle["addHandler"] = (event, fn, options = {}, ownLimit) => {
    alive();
    if (!Object.hasOwn(EVENTS, event)) {
      const near = nearest(String(event), Object.keys(EVENTS), 1)[0];
      throw new Error(
        `there is no event ${quote(String(event))}${near === undefined ? "" : `; did you mean ${near}?`}`,
      );
    }
    if (typeof fn !== "function") throw new Error(`the handler for ${event} is not a function`);
    if (EVENTS[event].declared && !uses.includes(event)) {
      throw new Error(`it listens to ${event} without declaring it: add "${event}" to uses`);
    }
    return registrations.addHandler(
      { event, mod: name, fn, ...filterOf(event, options), ...(ownLimit && { ownLimit }) } as Handler,
    );
  };
  const agent = Object.freeze({
    name,
    get storage() {
      return storage();
    },
    tool: (definition: ModTool<never>) => addTool(definition),
    on: (event: EventName, fn: Handler["fn"], options?: HandlerOptions) => addHandler(event, fn, options),
    command: (command: ModCommand) => {
      alive();
      return registrations.addCommand(checkedCommand(command));
    },
    log: (message: string) => {
      alive();
      note(`${name}: ${message}`);
    },
  }) as unknown as Agent;
  return { agent, addTool, addHandler, storage };
}

/** The options of a handler, checked: plugins needn't have been compiled against their types. */
function filterOf(event: EventName, options: HandlerOptions): Pick<Handler, "tools" | "effect" | "order"> {
  const { tools, effect, order } = options;
  const wrong = (what: string, allowed: string) =>
    new Error(`${what} of a handler for ${event} is not ${allowed}`);
  if (!EVENTS[event].call && (tools ?? effect) !== undefined) {
    throw new Error(`a handler for ${event} can't be narrowed to tools or an effect: it is given no call`);
  }
  if (tools !== undefined && !isStrings(tools)) throw wrong("tools", "a list of names");
  if (effect !== undefined && !isEffect(effect)) throw wrong("effect", "read, write or run");
  if (order !== undefined && order !== "early" && order !== "late") throw wrong("order", "early or late");
  return { ...(tools && { tools: [...tools] }), ...(effect && { effect }), order: order ?? "normal" };
}

function checkedCommand({ name, description, run }: ModCommand): ModCommand {
  if (typeof name !== "string" || !/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    throw new Error(`the command's name ${JSON.stringify(name)} is not letters, digits, - and _`);
  }
  if (typeof run !== "function") throw new Error(`the command ${quote(name)} has no run`);
  return { name, description: typeof description === "string" ? description : "", run };
}
