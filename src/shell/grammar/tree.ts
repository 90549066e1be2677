/** Walking what the parser made of a command. */
import type { SyntaxNode } from "unbash";

/** The parser, loaded when a rule needs it. */
export type Unbash = typeof import("unbash");

/** Does a node, or one below it, pass a test? */
export function contains(unbash: Unbash, node: SyntaxNode, test: (node: SyntaxNode) => boolean): boolean {
  if (test(node)) return true;
  let found = false;
  unbash.forEachChild(node, (child) => {
    found ||= contains(unbash, child, test);
  });
  return found;
}

/** Calls `visit` for a node and all below it. */
export function walk(unbash: Unbash, node: SyntaxNode, visit: (node: SyntaxNode) => void): void {
  visit(node);
  unbash.forEachChild(node, (child) => walk(unbash, child, visit));
}
