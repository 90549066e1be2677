/** Which variables a command's text names, so that it is given those that others aren't. */

/** Names as shells write them: `$NAME`, `${NAME`, `${#NAME`, and PowerShell's `$env:NAME`, `${env:NAME`. */
export function variablesIn(command: string): Set<string> {
  const names = new Set<string>();
  if (!command.includes("$")) return names;
  for (const [, prefix, name] of command.matchAll(/\$(?:\{[#!]?)?(env:)?([a-z_]\w*)/gi)) {
    // To other shells `$env:NAME` is the variable `env`.
    if (prefix !== undefined) names.add("env");
    names.add(name!);
  }
  return names;
}
