/** What somebody expects of a call in a file of calls, and whether it came so. */
import { messageOf, quote, UsageError } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import type { Rehearsed } from "./rehearse.ts";

/** A text that must be contained, or `/a pattern/i` that must fit. */
type Match = string;

export interface Expectation {
  /** It is refused, with this reason; `false`: it is not. */
  deny?: boolean | Match;
  /** A plugin answers in the tool's place. */
  answer?: boolean | Match;
  /** These arguments, canonical names, are what the tool gets; those not named don't matter. */
  args?: Record<string, unknown>;
  /** The text of the result. */
  result?: Match;
  /** Nothing changes it: neither its arguments nor its result, and nobody refuses or answers. */
  unchanged?: boolean;
}

const IS: Readonly<Record<keyof Expectation, { is(value: unknown): boolean; what: string }>> = {
  deny: { is: isFlagOrText, what: "true, false or a text" },
  answer: { is: isFlagOrText, what: "true, false or a text" },
  args: { is: isRecord, what: "an object" },
  result: { is: (value) => typeof value === "string", what: "a text" },
  unchanged: { is: (value) => typeof value === "boolean", what: "true or false" },
};

function isFlagOrText(value: unknown): boolean {
  return typeof value === "boolean" || typeof value === "string";
}

export function readExpectation(value: unknown, at: string): Expectation {
  const names = Object.keys(IS).join(", ");
  if (!isRecord(value) || Object.keys(value).length === 0) {
    throw new UsageError(`Cannot use the expectation in ${at}: not an object with any of ${names}`);
  }
  for (const [key, given] of Object.entries(value)) {
    if (!Object.hasOwn(IS, key)) {
      throw new UsageError(`Cannot expect ${quote(key)} in ${at}: it is none of ${names}`);
    }
    const { is, what } = IS[key as keyof Expectation];
    if (!is(given)) throw new UsageError(`Cannot expect that ${key} in ${at}: it is not ${what}`);
    if (typeof given === "string") matcher(given, at);
  }
  return value as Expectation;
}

/** What didn't come as expected, in words; empty where all did. */
export function failures(expect: Expectation, came: Rehearsed): string[] {
  const found: string[] = [];
  const gate = (key: "deny" | "answer", outcome: string, words: string) => {
    const wanted = expect[key];
    if (wanted === undefined) return;
    const is = came.outcome === outcome;
    if (wanted === false) {
      if (is) found.push(`expected that it is not ${words}, but it is: ${came.text}`);
    } else if (!is) found.push(`expected that it is ${words}, but it is ${came.did}`);
    else if (typeof wanted === "string" && !matcher(wanted)(came.text)) {
      found.push(`expected that it is ${words} with ${quote(wanted)}, but it says ${quote(came.text)}`);
    }
  };
  gate("deny", "denied", "denied");
  gate("answer", "answered", "answered");
  for (const [name, wanted] of Object.entries(expect.args ?? {})) {
    const is = came.args?.[name];
    if (!sameJson(is, wanted)) {
      found.push(
        `expected the argument ${name} ${JSON.stringify(wanted)}, but it is ${
          JSON.stringify(is) ?? "absent"
        }`,
      );
    }
  }
  if (expect.result !== undefined && !matcher(expect.result)(came.text)) {
    found.push(`expected the result ${quote(expect.result)}, but it is ${quote(came.text)}`);
  }
  if (expect.unchanged !== undefined && expect.unchanged !== (came.did === "unchanged")) {
    found.push(`expected that it is ${expect.unchanged ? "" : "not "}unchanged, but it is ${came.did}`);
  }
  return found;
}

function matcher(wanted: Match, at = ""): (text: string) => boolean {
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(wanted);
  if (!pattern) return (text) => text.includes(wanted);
  try {
    const regex = new RegExp(pattern[1]!, pattern[2]!.replace("g", ""));
    return (text) => regex.test(text);
  } catch (error) {
    throw new UsageError(`Cannot use the pattern ${wanted}${at && ` in ${at}`}: ${messageOf(error)}`);
  }
}

/** The same JSON, whatever the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  return sorted(a) === sorted(b);
}

function sorted(value: unknown): string | undefined {
  return JSON.stringify(
    value,
    (_, part: unknown) =>
      isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => x < y ? -1 : 1)) : part,
  );
}
