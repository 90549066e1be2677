/** A runtime from the flags of a command. */
import { Runtime, type TurnOptions } from "../agent.ts";
import { type Settings } from "../core/settings.ts";
import type { Sink } from "../core/stream.ts";
import type { Flags, Invocation } from "./command.ts";
/** Settings with the flags above them. */
export declare function settingsOf({ flags, printer }: Invocation): Promise<Settings>;
/** Not started yet: `start()` loads plugins and hooks. */
export declare function openRuntime(invocation: Invocation, onEvent?: Sink): Promise<Runtime>;
/** Which tools a turn shows, from `--toolset`, `--model` and `--tools`. */
export declare function surfaceOptions(flags: Flags): TurnOptions;
/** Opens, starts, does `work`, and closes whatever happens. */
export declare function withRuntime<T>(invocation: Invocation, work: (runtime: Runtime) => Promise<T>): Promise<T>;
