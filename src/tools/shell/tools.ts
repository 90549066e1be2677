/** The tools that run commands, made for one session: its processes end with it. */
import type { AnyTool } from "../../core/tool.ts";
import { execCommandTool, writeStdinTool } from "../exec_command.ts";
import { monitorTool } from "../monitor_start.ts";
import { shellTool } from "../shell.ts";
import { shellSessionTool } from "../shell_session.ts";
import type { ShellParts } from "./start.ts";

export interface ShellTools {
  shell: AnyTool;
  exec: AnyTool;
  stdin: AnyTool;
  session: AnyTool;
  monitor: AnyTool;
}

export function shellTools(parts: ShellParts): ShellTools {
  return {
    shell: shellTool(parts),
    exec: execCommandTool(parts),
    stdin: writeStdinTool(parts),
    session: shellSessionTool(parts.sessions),
    monitor: monitorTool(parts),
  };
}
