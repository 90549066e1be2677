/** Help texts, from the declarations. Run when the project is built for `agent -h`, else when asked for. */
import type { Command, Flag } from "./command.ts";
/** `agent -h`: one screen. */
export declare function overview(): string;
/** `agent --help`. */
export declare function fullOverview(): string;
/** `agent COMMAND -h`: usage and flags. */
export declare function commandHelp(command: Command): string;
/** `agent COMMAND --help`: examples first, then flags, environment, exit codes. */
export declare function fullCommandHelp(command: Command): string;
export declare function flagName({ name, short, value }: Flag): string;
