/** A hook that is a web server, as a configuration has it. */
import { quote } from "../core/errors.ts";
import { isRecord, isStrings } from "../core/json.ts";
import { host } from "../core/runtime.ts";
import type { HookCommon } from "./hook_config.ts";

/** The call goes there by POST. */
export interface HttpHook extends HookCommon {
  type: "http";
  url: string;
  /** The address for people: without its query, which may hold a key. */
  shown: string;
  /** Values may name variables. */
  headers: Readonly<Record<string, string>>;
  /** The variables that headers get; any other is empty. */
  allowedEnvVars: readonly string[];
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

/** A header's value with its variables put in; those that it may not have are empty. */
export function headerValue(value: string, allowed: readonly string[]): string {
  return value.replace(VARIABLE, (_, inBraces?: string, bare?: string) => {
    const name = inBraces ?? bare!;
    return allowed.includes(name) ? host.env(name) ?? "" : "";
  });
}

function variablesOf(value: string): string[] {
  return [...value.matchAll(VARIABLE)].map(([, inBraces, bare]) => inBraces ?? bare!);
}

type Wrong = (what: string) => Error;

/** What is special of an http hook; `wrong` makes the error for what can't be. */
export function readHttp(
  given: Record<string, unknown>,
  wrong: Wrong,
  say: (text: string) => void,
): Omit<HttpHook, keyof HookCommon> {
  const { url, headers = {}, allowedEnvVars = [] } = given;
  if (typeof url !== "string" || url === "") throw wrong("has no url");
  const shown = shownUrl(url, wrong);
  if (!isRecord(headers) || !isStrings(Object.values(headers))) throw wrong("has headers that are no texts");
  if (!isStrings(allowedEnvVars)) throw wrong("has allowedEnvVars that are no list of texts");
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw wrong(`has the header ${quote(name)}, which is no name`);
    for (const variable of variablesOf(String(value))) {
      if (allowedEnvVars.includes(variable)) continue;
      say(`$${variable} in the header ${name} of ${quote(shown)} is empty: allowedEnvVars doesn't name it`);
    }
  }
  return { type: "http", url, shown, headers: headers as Record<string, string>, allowedEnvVars };
}

function shownUrl(url: string, wrong: Wrong): string {
  let read: URL;
  try {
    read = new URL(url);
  } catch {
    throw wrong(`has the url ${quote(url)}, which is none`);
  }
  if (read.protocol !== "http:" && read.protocol !== "https:") {
    throw wrong(`has the url ${quote(url)}, which is neither http nor https`);
  }
  if (read.username !== "" || read.password !== "") {
    throw wrong(`has a name or a password in its url; a header is the place for that`);
  }
  return read.origin + read.pathname;
}
