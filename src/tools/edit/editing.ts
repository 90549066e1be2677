/** What an edit needs, loaded by the first one: most runs make none. */
export { applyEdits } from "./apply.ts";
export { snippetOf } from "./snippet.ts";
