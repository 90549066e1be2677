/** The declarations, as `@bomb.sh/tab` takes them. */
import { RootCommand } from "@bomb.sh/tab";
export declare function completer(): RootCommand;
