/** A process that works for others: what the host is asked meanwhile, it answers as theirs would. */
import type { Host } from "./runtime.ts";

type Storage = import("node:async_hooks").AsyncLocalStorage<Caller>;

/** Where and with what environment somebody asked. */
export interface Caller {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** A host by itself, before anybody is acted for. */
export type OwnHost = Omit<Host, "actFor">;

/** Adds `actFor`. Until its first use, nothing of the host is slower for it. */
export function withCallers(own: OwnHost): Host {
  const { env, envAll, cwd, home } = own;
  let callers: Storage | undefined;
  const start = (): Storage => {
    const { AsyncLocalStorage } = own.builtin<typeof import("node:async_hooks")>("node:async_hooks");
    const storage: Storage = new AsyncLocalStorage();
    own.env = (name) => {
      const caller = storage.getStore();
      return caller ? Object.hasOwn(caller.env, name) ? caller.env[name] : undefined : env(name);
    };
    own.envAll = () => ({ ...storage.getStore()?.env ?? envAll() });
    own.cwd = () => storage.getStore()?.cwd ?? cwd();
    own.home = () => storage.getStore()?.env.HOME ?? home();
    return storage;
  };
  return Object.assign(own, {
    actFor: <T>(caller: Caller, work: () => T): T => (callers ??= start()).run(caller, work),
  });
}
