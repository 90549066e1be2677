/** The page about events, from the table that runs them and what is said of it beside. */
import { CALL_DOCS, EVENT_DOCS, RESULT_DOCS } from "../src/core/event_docs.ts";
import { type EventName, EVENTS, type Events } from "../src/core/events.ts";

const KINDS: Readonly<Record<Events[EventName]["kind"], string>> = {
  chain: "Chained: each answer changes what the next handler sees.",
  first: "The first answer counts, and ends it.",
  notify: "A notification: there is no answer.",
};

const HEAD =
  `<!-- Made by scripts/generate.ts from src/core/events.ts and src/core/event_docs.ts: npm run build -->
# Events

What a plugin may listen to with \`agent.on(event, handler, options)\`: what a handler gets, and what it may answer.
Everything that it gets is frozen; it changes things by its answer alone. How to begin: [guide.md](guide.md). Tools,
options and what happens when a plugin fails: [plugins.md](plugins.md).

Handlers run in the order of their plugins, those with \`order: "early"\` before all others and those with \`"late"\`
after them. A handler has five seconds (\`mods.handlerTimeoutMs\`) where it is asynchronous. What a notification's handler
gives back is dropped; any other answer that isn't in these tables is a fault of the plugin: it is reported, and at a
gate it refuses the call.
`;

type Fields = Readonly<Record<string, readonly [type: string, about: string]>>;
type Part = "call" | "result" | { name: string; each?: Fields; fields?: Fields };

export function eventsPage(): string {
  const names = Object.keys(EVENT_DOCS) as EventName[];
  const overview = [
    "| event | answer | |",
    "|---|---|---|",
    ...names.map((name) => {
      const answers = Object.keys(EVENT_DOCS[name].answers).map((answer) => `\`${answer}\``).join(", ");
      return `| [\`${name}\`](#${name}) | ${answers || "none"} | ${firstSentence(EVENT_DOCS[name].about)} |`;
    }),
    "",
  ];
  const fields = [
    "## The call",
    "",
    ...table(CALL_DOCS),
    "",
    "## The result",
    "",
    ...table(RESULT_DOCS),
    "",
  ];
  return [HEAD, ...overview, ...names.flatMap(section), ...fields].join("\n");
}

function section(name: EventName): string[] {
  const { kind, gate, declared, call } = EVENTS[name];
  const { about, payload, answers } = EVENT_DOCS[name];
  const parts: readonly Part[] = payload;
  const given = parts.map((part) => typeof part === "string" ? part : part.name);
  const facts = [
    KINDS[kind],
    gate && "A gate: a handler that throws, hangs or answers wrongly refuses the call.",
    declared && `Needs \`uses: ["${name}"]\`.`,
    call && "Can be narrowed by `tools` and `effect`.",
  ].filter((fact) => typeof fact === "string");
  return [
    `## ${name}`,
    "",
    `\`agent.on("${name}", (${given.join(", ")}) => …)\``,
    "",
    about,
    "",
    facts.join(" "),
    "",
    ...parts.flatMap(payloadTable),
    ...(Object.keys(answers).length > 0
      ? ["| answer | |", "|---|---|", ...Object.entries(answers).map(([key, text]) => row(key, text)), ""]
      : []),
  ];
}

function payloadTable(part: Part): string[] {
  if (typeof part === "string") return [`\`${part}\`: see [the ${part}](#the-${part}).`, ""];
  const { name, each, fields } = part;
  return [...table((each ?? fields)!, each ? `each of ${name}` : name), ""];
}

function table(fields: Fields, head = "field"): string[] {
  const rows = Object.entries(fields);
  return [
    `| ${head} | type | |`,
    "|---|---|---|",
    ...rows.map(([name, [type, about]]) => row(name, type, about)),
  ];
}

function row(name: string, ...cells: string[]): string {
  return `| ${[`\`${name}\``, ...cells].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text)![0].replace(/:$/, ".");
}
