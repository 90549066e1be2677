/** `ExecCommand` as its family writes it elsewhere: `exec_command`. */
export function snakeName(pascal: string): string {
  return pascal.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}
