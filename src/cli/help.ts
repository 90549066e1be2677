/** Help texts, from the declarations. Run when the project is built for `agent -h`, else when asked for. */
import { EXIT } from "../core/errors.ts";
import { type SettingName, SETTINGS, variableOf } from "../core/settings.ts";
import type { Command, Flag } from "./command.ts";
import { COMMANDS, NOUNS } from "./commands.ts";
import { COMMON } from "./declared/flags.ts";
import { type HelpWanted, verbsOf } from "./parse.ts";

const WIDTH = 26;

/** Environment variables: settings whose variable has a name of its own, and what is no setting. */
export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ...(Object.keys(SETTINGS) as SettingName[]).filter((name) => "env" in SETTINGS[name])
    .map((name) => [variableOf(name), SETTINGS[name].about] as const),
  ["AGENT_SESSION", "session to join, as --session"],
  ["AGENT_NO_MODS=1", "load no plugins, as --no-mods"],
  ["NO_COLOR, FORCE_COLOR", "colour off, on"],
];

const EXITS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done",
  failed: "a call failed",
  usage: "wrong usage or settings",
  denied: "denied",
  credentials: "credentials are needed",
  timeout: "out of time",
  interrupted: "interrupted by Ctrl-C, SIGTERM or SIGHUP",
};

export const EXIT_CODES = (Object.keys(EXITS) as (keyof typeof EXIT)[])
  .map((name) => [String(EXIT[name]), EXITS[name]] as const);

export function helpText({ command, noun, full }: HelpWanted): string {
  if (command) return full ? fullCommandHelp(command) : commandHelp(command);
  if (noun !== undefined) return nounHelp(noun);
  return full ? fullOverview() : overview();
}

/** `agent -h`: one screen. */
export function overview(): string {
  const shown = COMMANDS.filter(({ hidden }) => !hidden);
  return [
    "A tool runtime for coding agents.",
    "",
    "Usage: agent <command> [flags]",
    "",
    "Commands:",
    ...overviewRows(shown),
    "",
    "Flags:",
    ...COMMON.map(flagRow),
    row("--version", "print the version"),
    "",
    "agent <command> --help tells more.",
    "",
  ].join("\n");
}

/** A command has a row, and so has a noun with all its verbs. */
function overviewRows(commands: readonly Command[]): string[] {
  const rows = new Map<string, string>();
  for (const { name, about } of commands) {
    const [noun, verb] = name.split(" ");
    if (verb === undefined) rows.set(name, row(name, about));
    else {
      const verbs = verbsOf(noun!).filter(({ hidden }) => !hidden).map((one) => one.name.split(" ")[1]);
      const words = commands.some((one) => one.name === noun) ? `[${verbs.join("|")}]` : verbs.join("|");
      // What doesn't fit into the column runs on: the overview is to fit on a screen.
      const left = `${noun} ${words}`, right = NOUNS[noun!] ?? about;
      rows.set(noun!, left.length > WIDTH - 3 ? `  ${left}  ${right}` : row(left, right));
    }
  }
  return [...rows.values()];
}

/** `agent --help`. */
function fullOverview(): string {
  const examples = COMMANDS.flatMap(({ examples }) => examples.slice(0, 1));
  return [
    "Examples:",
    ...examples.map(({ line, about }) => `  ${line}\n      ${about}`),
    "",
    overview().trimEnd(),
    "",
    ...tail(),
  ].join("\n");
}

/** `agent NOUN -h`: its verbs. */
function nounHelp(noun: string): string {
  return [
    `Usage: agent ${noun} <command> [flags]`,
    "",
    "Commands:",
    ...verbsOf(noun).map(({ name, about }) => row(name, about)),
    "",
    `agent ${noun} <command> --help tells more.`,
    "",
  ].join("\n");
}

/** `agent COMMAND -h`: usage and flags. */
function commandHelp(command: Command): string {
  return [
    command.about[0]!.toUpperCase() + command.about.slice(1) + ".",
    "",
    `Usage: agent ${command.name}${command.args ? ` ${command.args}` : ""} [flags]`,
    "",
    "Flags:",
    ...command.flags.map(flagRow),
    ...COMMON.map(flagRow),
    "",
  ].join("\n");
}

/** `agent COMMAND --help`: examples first, then flags, environment, exit codes. */
function fullCommandHelp(command: Command): string {
  return [
    "Examples:",
    ...command.examples.map(({ line, about }) => `  ${line}\n      ${about}`),
    "",
    commandHelp(command).trimEnd(),
    "",
    ...tail(),
  ].join("\n");
}

function tail(): string[] {
  return [
    "Environment:",
    ...ENVIRONMENT.map(([name, about]) => row(name, about)),
    "",
    "Exit codes:",
    ...EXIT_CODES.map(([code, about]) => row(code, about)),
    "",
  ];
}

export function flagName({ name, short, value }: Flag): string {
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
}

/** What a flag is for, and what it may be. */
export function flagAbout({ about, choices }: Flag): string {
  return choices ? `${about}: ${choices.join(", ")}` : about;
}

function flagRow(flag: Flag): string {
  return row(flagName(flag), flagAbout(flag));
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(WIDTH - 2)}${left.length > WIDTH - 3 ? `\n${" ".repeat(WIDTH)}` : ""}${right}`;
}
