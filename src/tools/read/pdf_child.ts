/** A program of its own, a process for each PDF: its bytes on standard input, a `PdfAnswer` as JSON on standard output. */
import { concat } from "../../core/bytes.ts";
import { host } from "../../core/runtime.ts";
import { pdfText } from "./pdf_text.ts";

async function main(): Promise<void> {
  // The library drops some rejections over a broken file; what it answers is all the same what it could read.
  host.onStray(() => {});
  const chunks: Uint8Array[] = [];
  for await (const chunk of host.stdin()) chunks.push(chunk);
  host.write(1, JSON.stringify(await pdfText(concat(chunks))));
  host.exit(0);
}

void main();
