/** The forms in which a program may print a secret. */

export interface Form {
  text: string;
  /** Programs break it into lines wherever these end, so line breaks inside it don't count. */
  wraps: boolean;
}

const SHORTEST = 6;

/** Every form of a value that redaction looks for. Forms that shrink below 6 characters are left out. */
export function formsOf(value: string): Form[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const wrapped = [hex, hex.toUpperCase(), ...base64Forms(bytes)];
  const plain = [value, ...percentForms(value), ...quotedForms(value)];
  // A value of several lines may be printed with other line ends, or line by line.
  if (value.includes("\n")) {
    plain.push(value.replaceAll("\n", "\r\n"), ...value.split(/\r?\n/).filter(isLongLine));
  }
  const forms = new Map<string, boolean>();
  for (const text of plain) forms.set(text, false);
  for (const text of wrapped) forms.set(text, true);
  return [...forms].filter(([text]) => text.length >= SHORTEST).map(([text, wraps]) => ({ text, wraps }));
}

/** The first and last line of a key in armour are everybody's. */
function isLongLine(line: string): boolean {
  return line.length >= 16 && !/^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/.test(line);
}

function percentForms(value: string): string[] {
  const percent = encodeURIComponent(value.toWellFormed());
  // RFC 3986 and forms encode these too; `curl` and Python leave a slash as it is.
  const strict = percent.replace(
    /[!'()*]/g,
    (char) => "%" + char.charCodeAt(0).toString(16).toUpperCase(),
  );
  return [percent, strict].flatMap((text) => [text, text.replaceAll("%2F", "/")]).flatMap((text) => [
    text,
    text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    text.replaceAll("%20", "+"),
    // As .NET writes it.
    text.replaceAll("%20", "+").replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  ]);
}

/** As JSON has it. Some encoders escape what means something in HTML too, in small or capital digits, and slashes. */
function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = escaped(json, /[^\x00-\x7f]/g);
  const forms = [
    json,
    ascii,
    // Go, PHP's JSON_HEX_*, and .NET, which escapes double quotes like that as well.
    escaped(json, /[<>&\u2028\u2029]/g),
    escaped(ascii, /[<>&']/g),
    escaped(ascii.replaceAll('\\"', '"'), /[<>&'"+`\x7f]/g),
  ].flatMap((text) => [text, text.replaceAll("/", "\\/")]);
  return forms.flatMap((
    text,
  ) => [text, text.replace(/\\u[\da-f]{4}/g, (code) => "\\u" + code.slice(2).toUpperCase())]);
}

function escaped(text: string, which: RegExp): string {
  return text.replace(which, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

function quotedForms(value: string): string[] {
  return [
    ...jsonForms(value),
    // For the shell: in single quotes (two ways to write one), in double quotes, with backslashes alone, and as
    // `printf %q` and `set -x` write what has control characters.
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replace(/[$`"\\!]/g, "\\$&"),
    value.replace(/[$`"\\]/g, "\\$&"),
    value.replace(/[^\w@%+=:,./-]/g, "\\$&"),
    value.replace(/[^\w@%+=:,./-]/gu, (char) => char > "\x7f" ? char : "\\" + char),
    ansiQuoted(value),
    // The same with all but ASCII as octal bytes, and as Python's `ascii`.
    inOctal(ansiQuoted(value)),
    ansiQuoted(value).replace(/[^\x00-\x7f]/gu, pythonEscape),
  ];
}

function inOctal(text: string): string {
  return text.replace(
    /[^\x00-\x7f]+/g,
    (run) => Array.from(new TextEncoder().encode(run), (byte) => "\\" + byte.toString(8)).join(""),
  );
}

function pythonEscape(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x100) return "\\x" + code.toString(16);
  return code < 0x10000
    ? "\\u" + code.toString(16).padStart(4, "0")
    : "\\U" + code.toString(16).padStart(8, "0");
}

function ansiQuoted(value: string): string {
  const names: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
  return value.replace(/[\\'\n\t\r]/g, (char) => names[char] ?? "\\" + char);
}

/**
 * The middle that any base64 text of data holding the value must contain, for each of the three alignments, in
 * both alphabets: characters that depend on neighbouring bytes are left off.
 */
function base64Forms(bytes: Uint8Array): string[] {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  const forms: string[] = [];
  for (let before = 0; before < 3; before++) {
    const padded = "\0".repeat(before) + text;
    const encoded = btoa(padded).replace(/=+$/, "");
    const skip = before === 0 ? 0 : before + 1;
    const middle = encoded.slice(skip, padded.length % 3 === 0 ? encoded.length : -1);
    forms.push(middle, middle.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}
