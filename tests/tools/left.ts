/** Processes that a test's commands left. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Resolves when no shell works in the folder any more. */
export async function leftOf(folder: string): Promise<void> {
  const works = (pid: string) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === folder &&
        readFileSync(`/proc/${pid}/comm`, "utf8") === "bash\n";
    } catch {
      return false;
    }
  };
  const left = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name) && works(name));
  while (left().length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
