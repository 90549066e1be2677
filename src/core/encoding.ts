/** The encodings that a text file may have. */
export type EncodingName = "utf-8" | "utf-16le" | "utf-16be" | "gbk" | "windows-1252";

/** What is known of a file's encoding. */
export interface Encoding {
  name: EncodingName;
  /** Bytes of the byte-order mark: 0, 2 or 3. */
  mark: number;
  /** Some bytes mean nothing in this encoding; they read as U+FFFD. */
  damaged: boolean;
}

export const UTF8: Encoding = Object.freeze({ name: "utf-8", mark: 0, damaged: false });

/** Bytes of one code unit: what a match starts and ends on. */
export function unitOf({ name }: Encoding): 1 | 2 {
  return name === "utf-16le" || name === "utf-16be" ? 2 : 1;
}

/** For people and models: how the file is read. */
export function nameOf({ name, mark }: Encoding): string {
  const names: Record<EncodingName, string> = {
    "utf-8": mark > 0 ? "UTF-8 with a byte-order mark" : "UTF-8",
    "utf-16le": "UTF-16 LE",
    "utf-16be": "UTF-16 BE",
    "gbk": "GBK",
    "windows-1252": "Windows-1252",
  };
  return names[name];
}
