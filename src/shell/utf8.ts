/** UTF-8 as programs print it: in pieces, and sometimes broken. */
import { host } from "../core/runtime.ts";

/** Broken characters become U+FFFD. A mark at the start is a character that was printed. */
export function decode(bytes: Uint8Array): string {
  return host.decode(bytes) ?? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Bytes at the end that are the start of a character. */
export function partialAtEnd(bytes: Uint8Array, end = bytes.length): number {
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return size > back ? back : 0;
  }
  return 0;
}
