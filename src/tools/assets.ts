/** Text and schema of the tools and faces, as the build made them. */
import { AgentError, quote } from "../core/errors.ts";
import { host } from "../core/runtime.ts";
import type { Asset } from "../core/tool.ts";
import { ASSETS, WINDOWS_CARE } from "../generated/tools.ts";

/** What a platform's models are told; the same bytes whenever it is asked. */
export function assetOf(key: string, platform: string = host.platform): Asset {
  const json = ASSETS[key];
  if (json === undefined) {
    throw new AgentError(
      `Cannot find the text of ${quote(key)}: the generated file is stale`,
      "npm run build",
    );
  }
  const asset: Asset = JSON.parse(json);
  if (platform !== "win32" || !asset.runsCommands) return asset;
  return { ...asset, description: `${asset.description}\n\n${WINDOWS_CARE}` };
}
