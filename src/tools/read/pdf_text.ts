/** The text of a PDF, page by page. What is hostile about one hits the process that this runs in: see `pdf.ts`. */
import { messageOf } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";

type Pdf = Awaited<ReturnType<typeof import("unpdf")["getDocumentProxy"]>>;

/** Where reading stops. A file may claim any number of pages, and a page may hold any amount of text. */
export interface PdfLimits {
  pages: number;
  /** Of all text. */
  chars: number;
  /** Looked at between two pages. */
  ms: number;
}

const LIMITS: PdfLimits = { pages: 1000, chars: 5_000_000, ms: 10_000 };

/** The text and a line that says what it is of; or what is wrong with the file. */
export type PdfAnswer = { note: string; text: string } | { state: string; hint?: string };

/** Each page's text below a line that counts it; a page without text says so, and so does a reading that stopped. */
export async function pdfText(bytes: Uint8Array, limits = LIMITS): Promise<PdfAnswer> {
  const until = host.now() + limits.ms;
  let pdf: Pdf;
  try {
    pdf = await open(bytes);
  } catch (error) {
    if (!(error instanceof Error && error.name === "PasswordException")) return broken(oneLine(error));
    const hint = "make a copy without a password and read that";
    return { state: "the PDF is encrypted and needs a password", hint };
  }
  const total = pdf.numPages;
  if (total < 1) return broken("it has no pages");
  const parts: string[] = [];
  let room = limits.chars, page = 0, stop = "";
  while (page < total && stop === "") {
    page++;
    const text = await pageText(pdf, page, room);
    room -= text.length;
    parts.push(`[page ${page} of ${total}]`, text);
    if (page >= limits.pages) stop = `more than ${limits.pages} pages`;
    else if (room <= 0) stop = `more than ${limits.chars} characters`;
    else if (host.now() > until) stop = `more than ${limits.ms / 1000} seconds of reading`;
  }
  const left = page < total ? `[pages ${page + 1}-${total} left out: ${stop}]` : undefined;
  const count = `${total} ${total === 1 ? "page" : "pages"}`;
  const note = left ? `[PDF of ${count}, the text of pages 1-${page}]` : `[PDF of ${count}, their text]`;
  return { note, text: [...parts, ...(left ? [left] : [])].join("\n") };
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  const { getDocumentProxy } = await import("unpdf");
  // A copy: the library takes no `Buffer`, and the memory it is given for its own.
  return await getDocumentProxy(new Uint8Array(bytes), {
    verbosity: 0,
    useSystemFonts: false,
    disableFontFace: true,
    useWasm: false,
  });
}

function broken(why: string): PdfAnswer {
  return { state: `the PDF is broken (${why})` };
}

/** As much of a page's text as there is `room` for; what can't be read is said in its place. */
async function pageText(pdf: Pdf, number: number, room: number): Promise<string> {
  try {
    const page = await pdf.getPage(number);
    const reader = page.streamTextContent().getReader();
    let text = "";
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (const item of next.value.items as { str?: string; hasEOL?: boolean }[]) {
        text += (item.str ?? "") + (item.hasEOL ? "\n" : "");
      }
      if (text.length < room) continue;
      await reader.cancel(new Error("enough"));
      text = `${text.slice(0, room)}\n[the rest of this page is left out]`;
      break;
    }
    page.cleanup();
    return text.trim() === "" ? "[no text on this page]" : tidy(text);
  } catch (error) {
    return `[this page can't be read: ${oneLine(error)}]`;
  }
}

/** Without control characters, blanks at line ends, and blank lines at the page's ends. */
function tidy(text: string): string {
  return text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, "").split("\n").map((line) => line.trimEnd()).join("\n")
    .trim();
}

function oneLine(error: unknown): string {
  return messageOf(error).split("\n")[0]!.replace(/\.$/, "");
}
