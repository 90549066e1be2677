/**
 * What a plugin declares to use, read from its source without running it. Only what stands there plainly is believed: an
 * `export default definePlugin({ … })`, or a plain object, whose `uses` is a list of texts.
 */
import { basename } from "../core/paths.ts";

/** `computed`: only running the plugin would tell. */
export type Declared = readonly string[] | "computed";

/** What a plugin's source says of it. */
export interface DeclaredPlugin {
  /** `""` where only running it would tell. */
  readonly name: string;
  readonly uses: Declared;
  readonly isolation: "none" | "process" | "computed";
}

const COMPUTED: DeclaredPlugin = { name: "", uses: "computed", isolation: "computed" };

export async function declaredUses(entry: string, source: string): Promise<Declared> {
  return (await declaredIn(entry, source)).uses;
}

export async function declaredIn(entry: string, source: string): Promise<DeclaredPlugin> {
  const { transform } = await import("esbuild");
  const loader = /\.m?ts$/.test(basename(entry)) ? "ts" : "js";
  try {
    const { code } = await transform(source, {
      loader,
      sourcefile: NAME.replace("_default", ""),
      minifyWhitespace: true,
      format: "esm",
      charset: "utf8",
      tsconfigRaw: {},
      logLevel: "silent",
    });
    return readPlugin(code);
  } catch {
    return COMPUTED;
  }
}

const NAME = "plugin_default";

/** In code without blanks and comments. */
function readPlugin(code: string): DeclaredPlugin {
  // So esbuild writes `export default VALUE`, with a name that nothing else in the code has.
  const [start] = code.match(new RegExp(`var ${NAME}=(?:definePlugin\\()?(?=\\{)`)) ?? [];
  if (start === undefined || !code.includes(`export{${NAME} as default}`)) return COMPUTED;
  const called = start.endsWith("(");
  if (
    called && !/import\{(?:[^}]*,)?definePlugin(?:,[^}]*)?\}from"(?:agent|agent-runtime\/sdk)"/.test(code)
  ) {
    return COMPUTED;
  }
  const properties = propertiesOf(code, code.indexOf(start) + start.length);
  if (!properties) return COMPUTED;
  const valuesOf = (name: string) => properties.filter(({ key }) => key === name).map(({ value }) => value);
  const [name = "", ...others] = valuesOf("name");
  return {
    name: others.length === 0 && /^"[\w-]+"$/.test(name) ? JSON.parse(name) : "",
    uses: usesIn(valuesOf("uses")),
    isolation: isolationIn(valuesOf("isolation")),
  };
}

function usesIn([value = "[]", ...others]: readonly string[]): Declared {
  if (others.length > 0 || !/^\[(?:"[^"\\]*"(?:,"[^"\\]*")*)?\]$/.test(value)) return "computed";
  return JSON.parse(value) as string[];
}

function isolationIn([value, ...others]: readonly string[]): DeclaredPlugin["isolation"] {
  if (value === undefined) return "none";
  return others.length === 0 && value === '"process"' ? "process" : "computed";
}

/** Key and value of each property of the object at `open`; `undefined` where a key isn't plain. */
function propertiesOf(code: string, open: number): { key: string; value: string }[] | undefined {
  const found: { key: string; value: string }[] = [];
  for (let at = open + 1; at < code.length;) {
    if (code[at] === "}") return /^}\)?;export\{/.test(code.slice(at, at + 10)) ? found : undefined;
    const end = endOfValue(code, at);
    if (end === undefined) return undefined;
    const text = code.slice(at, end);
    const [head, key] = /^(?:async(?=[ *]) ?)?\*?([\w$]+)(?=[:(,]|$)/.exec(text) ?? [];
    if (head === undefined || key === undefined || key === "__proto__") return undefined;
    found.push({ key, value: text.slice(head.length + 1) });
    at = code[end] === "," ? end + 1 : end;
  }
  return undefined;
}

const CLOSES: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const KEYWORD = /(?:^|[^\w$.])(?:return|typeof|case|in|of|void|delete|throw|new|await|yield|else|do)$/;

/** Where the property that begins at `at` ends: a comma or the closing bracket of its object. */
function endOfValue(code: string, at: number): number | undefined {
  const open: string[] = [];
  for (let i = at; i < code.length; i++) {
    const char = code[i]!;
    if (open.at(-1) === "`") {
      if (char === "\\") i++;
      else if (char === "`") open.pop();
      else if (char === "$" && code[i + 1] === "{") open.push("{"), i++;
    } else if (char === '"' || char === "'") {
      while (++i < code.length && code[i] !== char) if (code[i] === "\\") i++;
    } else if (char === "/") {
      // It divides after a value, else it begins a regular expression, where brackets mean something else.
      const before = code.slice(Math.max(0, i - 12), i);
      if (/[)}]$/.test(before)) return undefined;
      if (KEYWORD.test(before) || !/[\w$\]"'`]$/.test(before)) i = endOfExpression(code, i);
    } else if ("([{`".includes(char)) open.push(char);
    else if (")]}".includes(char)) {
      if (open.length === 0) return i;
      if (CLOSES[open.pop()!] !== char) return undefined;
    } else if (char === "," && open.length === 0) return i;
  }
  return undefined;
}

function endOfExpression(code: string, at: number): number {
  let inClass = false;
  for (let i = at + 1; i < code.length; i++) {
    if (code[i] === "\\") i++;
    else if (code[i] === "[") inClass = true;
    else if (code[i] === "]") inClass = false;
    else if (code[i] === "/" && !inClass) return i;
  }
  return code.length;
}
