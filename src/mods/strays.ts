/**
 * Late rejections and throws in timers of plugins: pinned on their plugin where the stack tells, and never the end
 * of the runtime. Used by the command line; a host decides for itself what its process does with strays.
 */
import { messageOf } from "../core/errors.ts";
import { host } from "../core/runtime.ts";

/** Watches until the returned function is called. `owner` names the plugin that a stack leads to. */
export function watchStrays(
  owner: (stack: string) => string | undefined,
  warn: (text: string) => void,
): () => void {
  const report = (error: unknown) => {
    const stack = error instanceof Error ? error.stack ?? "" : "";
    const name = owner(stack);
    warn(`${name ? `plugin ${name}` : "a plugin, or a library of one,"} failed late: ${messageOf(error)}`);
  };
  if (host.name === "deno") {
    const onError = (event: Event) => {
      event.preventDefault();
      report((event as ErrorEvent).error);
    };
    const onRejection = (event: Event) => {
      event.preventDefault();
      report((event as PromiseRejectionEvent).reason);
    };
    const target = globalThis as unknown as EventTarget;
    target.addEventListener("error", onError);
    target.addEventListener("unhandledrejection", onRejection);
    return () => {
      target.removeEventListener("error", onError);
      target.removeEventListener("unhandledrejection", onRejection);
    };
  }
  const process = host.builtin<typeof globalThis.process>("node:process");
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
  return () => {
    process.off("uncaughtException", report);
    process.off("unhandledRejection", report);
  };
}

interface ErrorEvent extends Event {
  error: unknown;
}
interface PromiseRejectionEvent extends Event {
  reason: unknown;
}
