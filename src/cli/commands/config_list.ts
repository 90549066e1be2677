/** `agent config list`: all settings, with where each value comes from. */
import { type SettingName, SETTINGS } from "../../core/settings.ts";
import type { Invocation } from "../command.ts";
import { settingsInForce } from "../open.ts";

export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer } = invocation;
  const settings = await settingsInForce(invocation);
  const names = Object.keys(SETTINGS) as SettingName[];
  const rows = names.map((name) => ({ name, ...settings.origin(name), about: SETTINGS[name].about }));
  if (flags.has("json")) {
    printer.json(
      Object.fromEntries(
        rows.map(({ name, value, origin }) => [name, flags.has("origin") ? { value, origin } : value]),
      ),
    );
    return 0;
  }
  for (const { name, value, origin, about } of rows) {
    printer.line(`${name} = ${JSON.stringify(value)}  ${flags.has("origin") ? `(${origin})` : `# ${about}`}`);
  }
  return 0;
}
