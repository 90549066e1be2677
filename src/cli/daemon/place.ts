/**
 * Where a user's daemon is found:
 *
 *     state/daemon/socket    where it listens, 0600
 *     state/daemon/owner     its process, from its start to its end
 *     state/daemon/log       what it says, 0600
 *
 * The folder is 0700 and the user's own, which keeps others out: both sides check it.
 */
import { dirs } from "../../core/dirs.ts";
import { AgentError, errorCode, fileError, quote } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { withLock } from "../../core/lock.ts";
import { join, makeFolder } from "../../core/paths.ts";
import { host } from "../../core/runtime.ts";
import { isRunning, removeQuietly } from "../../core/upkeep.ts";
import { startOf } from "../../shell/processes.ts";

/** Bytes of a socket's path that every system takes. */
const MOST_BYTES = 103;
/** A log that has grown beyond is begun anew. */
const MOST_LOG = 1024 * 1024;

export interface DaemonPlace {
  folder: string;
  socket: string;
  owner: string;
  log: string;
}

/** Throws where the folder can't be trusted. `undefined` where there is none, unless it is to be made. */
export function daemonPlace(make: boolean): DaemonPlace | undefined {
  if (host.platform === "win32") {
    throw new AgentError("Cannot keep sessions: on Windows there is no daemon for them");
  }
  const folder = join(dirs().state, "daemon");
  const at = (name: string) => join(folder, name);
  if (make) makePlace(folder);
  if (!isOurs(folder)) return undefined;
  const socket = at("socket");
  if (new TextEncoder().encode(socket).length > MOST_BYTES) {
    throw new AgentError(
      `Cannot listen on ${quote(socket)}: a socket's path has at most ${MOST_BYTES} bytes`,
      "set XDG_STATE_HOME to a shorter path",
    );
  }
  return { folder, socket, owner: at("owner"), log: at("log") };
}

function makePlace(folder: string): void {
  try {
    makeFolder(folder, 0o700);
  } catch (error) {
    throw fileError("make", folder, error);
  }
}

/** Is it there? Another's folder is an error, one that others may enter is closed to them. */
function isOurs(folder: string): boolean {
  try {
    const { kind, uid, mode } = host.files.lstat(folder);
    if (kind !== "directory") throw new AgentError(`Cannot use ${quote(folder)}: it is not a folder`);
    if (uid !== host.uid) {
      throw new AgentError(
        `Cannot use ${quote(folder)}: it belongs to another user`,
        "set XDG_STATE_HOME to a folder of your own",
      );
    }
    if ((mode & 0o077) !== 0) host.files.chmod(folder, 0o700);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw fileError("use", folder, error);
  }
}

/** Makes this process the daemon; where another one is, its number. */
export function claim(place: DaemonPlace): number | undefined {
  return withLock(join(place.folder, "lock"), () => {
    const other = ownerOf(place);
    if (other !== undefined) return other;
    removeQuietly(place.socket);
    removeQuietly(place.owner);
    emptyLog(place);
    const file = host.files.open(place.owner, "wx", 0o600);
    file.writeText(JSON.stringify({ pid: host.pid, start: startOf(host.pid) }));
    file.close();
    return undefined;
  });
}

/** At the daemon's end. Whoever comes later finds nothing. */
export function release({ socket, owner }: DaemonPlace): void {
  removeQuietly(socket);
  removeQuietly(owner);
}

/** The process that is the daemon; `undefined` for one that is dead, whose number may be another's now. */
export function ownerOf({ owner }: DaemonPlace): number | undefined {
  try {
    const value: unknown = JSON.parse(host.files.readText(owner));
    if (!isRecord(value) || typeof value.pid !== "number") return undefined;
    const { pid, start } = value;
    return isRunning(pid) && startOf(pid) === start ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Did a daemon end without a word? Until the next one starts. */
export function hasDied(place: DaemonPlace): boolean {
  try {
    host.files.stat(place.owner);
    return ownerOf(place) === undefined;
  } catch {
    return false;
  }
}

function emptyLog({ log }: DaemonPlace): void {
  try {
    if (host.files.stat(log).size > MOST_LOG) host.files.open(log, "w", 0o600).close();
  } catch {
    // There is none yet.
  }
}
