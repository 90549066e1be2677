/** Help texts, from the declarations. Run when the project is built for `agent -h`, else when asked for. */
import type { Command, Flag } from "./command.ts";
import { COMMANDS, COMMON, ENVIRONMENT, EXIT_CODES } from "./commands.ts";

const WIDTH = 26;

/** `agent -h`: one screen. */
export function overview(): string {
  const shown = COMMANDS.filter(({ hidden }) => !hidden);
  return [
    "A tool runtime for coding agents.",
    "",
    "Usage: agent <command> [flags]",
    "",
    "Commands:",
    ...shown.map(({ name, about }) => row(name, about)),
    "",
    "Flags:",
    ...COMMON.map(flagRow),
    row("--version", "print the version"),
    "",
    "agent <command> --help tells more.",
    "",
  ].join("\n");
}

/** `agent --help`. */
export function fullOverview(): string {
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
export function nounHelp(noun: string): string {
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

/** The commands of two words that begin with `noun`. */
export function verbsOf(noun: string): Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${noun} `));
}

/** `agent COMMAND -h`: usage and flags. */
export function commandHelp(command: Command): string {
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
export function fullCommandHelp(command: Command): string {
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

function flagRow(flag: Flag): string {
  return row(flagName(flag), flag.about);
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(WIDTH - 2)}${left.length > WIDTH - 3 ? `\n${" ".repeat(WIDTH)}` : ""}${right}`;
}
