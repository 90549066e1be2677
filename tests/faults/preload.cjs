/**
 * Loaded before the real `agent` by `--require` on Node and `--preload` on Deno: counts the runtime's calls that
 * change files below `FAULT_ROOTS` (split at `:`), and does `FAULT_DO` right before call number `FAULT_AT`.
 *
 *     kill      the process dies by SIGKILL; a write counts twice, and dies the second time half written
 *     change    what is in `FAULT_TEXT` is written over `FAULT_FILE`, as a stranger would
 *     replace   the same, by a file that takes its place
 *
 * With `FAULT_LOG` each call is noted there with the file's mode after it.
 */
"use strict";

const process = globalThis.process;
const fs = process.getBuiltinModule("node:fs");
const original = { ...fs };
const roots = (process.env.FAULT_ROOTS ?? "").split(":").filter((root) => root !== "");
const { FAULT_AT, FAULT_DO, FAULT_FILE, FAULT_TEXT, FAULT_LOG } = process.env;
let count = 0;

const isOurs = (path) => typeof path === "string" && roots.some((root) => path.startsWith(root));

/** Is it this call's turn? */
function isDue() {
  return ++count === Number(FAULT_AT);
}

function die() {
  process.kill(process.pid, "SIGKILL");
}

function strike() {
  if (FAULT_DO === "kill") return die();
  if (FAULT_DO === "change") return original.writeFileSync(FAULT_FILE, FAULT_TEXT);
  if (FAULT_DO === "replace") {
    original.writeFileSync(`${FAULT_FILE}.theirs`, FAULT_TEXT);
    original.renameSync(`${FAULT_FILE}.theirs`, FAULT_FILE);
  }
}

function note(name, path) {
  if (FAULT_LOG === undefined) return;
  let mode = "";
  try {
    mode = (original.lstatSync(path).mode & 0o7777).toString(8);
  } catch {
    // It is gone.
  }
  original.appendFileSync(FAULT_LOG, `${count} ${name} ${path} ${mode}\n`);
}

/** Wraps `target[name]`; the path is argument number `at`. */
function watch(target, name, at = 0) {
  const work = target[name];
  target[name] = (...args) => {
    if (!isOurs(args[at])) return work.apply(target, args);
    if (isDue()) strike();
    try {
      return work.apply(target, args);
    } finally {
      note(name, args[at]);
    }
  };
}

/** `write(bytes)` is a whole write, which dies half-way the second time. */
function watchWrite(path, bytes, write) {
  if (isDue()) strike();
  if (FAULT_DO === "kill" && isDue()) {
    write(bytes.subarray(0, bytes.length >> 1));
    die();
  }
  const done = write(bytes);
  note("write", path);
  return done;
}

const CHANGES = [
  ["renameSync", 1],
  ["linkSync", 1],
  ["symlinkSync", 1],
  ["copyFileSync", 1],
  ["chmodSync", 0],
  ["chownSync", 0],
  ["mkdirSync", 0],
];

if ("Deno" in globalThis) onDeno(globalThis.Deno);
else onNode();

function onNode() {
  for (const [name, at] of [...CHANGES, ["unlinkSync", 0], ["rmdirSync", 0]]) watch(fs, name, at);
  const open = new Map();
  fs.openSync = (path, how = "r", ...more) => {
    if (how === "r" || !isOurs(path)) return original.openSync(path, how, ...more);
    if (isDue()) strike();
    const fd = original.openSync(path, how, ...more);
    open.set(fd, path);
    note("open", path);
    return fd;
  };
  fs.closeSync = (fd) => {
    open.delete(fd);
    original.closeSync(fd);
  };
  fs.writeSync = (fd, data, ...more) => {
    const path = open.get(fd);
    if (path === undefined || typeof data === "string") return original.writeSync(fd, data, ...more);
    const [offset = 0, length = data.length - offset, position = null] = more;
    const bytes = data.subarray(offset, offset + length);
    return watchWrite(path, bytes, (part) => original.writeSync(fd, part, 0, part.length, position));
  };
  for (const name of ["fsyncSync", "ftruncateSync"]) {
    fs[name] = (fd, ...more) => {
      if (open.has(fd) && isDue()) strike();
      return original[name](fd, ...more);
    };
  }
}

function onDeno(deno) {
  for (const [name, at] of [...CHANGES, ["removeSync", 0]]) watch(deno, name, at);
  const open = new WeakMap();
  const { openSync } = deno;
  deno.openSync = (path, options) => {
    if (!(options?.write || options?.append) || !isOurs(path)) return openSync(path, options);
    if (isDue()) strike();
    const file = openSync(path, options);
    open.set(file, path);
    note("open", path);
    return file;
  };
  const proto = deno.FsFile.prototype;
  const { writeSync } = proto;
  proto.writeSync = function (bytes) {
    const path = open.get(this);
    if (path === undefined) return writeSync.call(this, bytes);
    return watchWrite(path, bytes, (part) => writeSync.call(this, part));
  };
  for (const name of ["syncSync", "truncateSync"]) {
    const work = proto[name];
    proto[name] = function (...args) {
      if (open.has(this) && isDue()) strike();
      return work.apply(this, args);
    };
  }
}
