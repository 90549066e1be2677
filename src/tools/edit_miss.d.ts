/** Why `old_string` was not found, and the place that comes nearest. Nothing is guessed: the model decides. */
import { AgentError } from "../core/errors.ts";
/** The number of the line that holds `index`, from 1. */
export declare function lineOf(text: string, index: number): number;
/** An error that says in which respect the text differs, and shows the nearest lines. */
export declare function explainMiss(path: string, name: string, text: string, wanted: string): AgentError;
