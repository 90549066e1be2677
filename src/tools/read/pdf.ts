/** The text of a PDF, page by page. */
import { AgentError, messageOf, quote } from "../../core/errors.ts";
import { host } from "../../core/runtime.ts";
import type { Rich } from "./rich.ts";

type Pdf = Awaited<ReturnType<typeof import("unpdf")["getDocumentProxy"]>>;

/** Where reading stops. A file may claim any number of pages, and a page may hold any amount of text. */
export interface PdfLimits {
  pages: number;
  /** Of all text. */
  chars: number;
  ms: number;
}

const LIMITS: PdfLimits = { pages: 1000, chars: 5_000_000, ms: 30_000 };

/** Each page's text below a line that counts it; a page without text says so, and so does a reading that stopped. */
export function readPdf(bytes: Uint8Array, shown: string, limits = LIMITS): Promise<Rich> {
  return contained(() => read(bytes, shown, limits));
}

/** The library drops some rejections over a broken file, and nobody's rejection ends the process. */
async function contained<T>(work: () => Promise<T>): Promise<T> {
  const others: unknown[] = [];
  const undo = host.onStray((error) => {
    if (!(error instanceof Error && error.stack?.includes("unpdf"))) others.push(error);
  });
  try {
    return await work();
  } finally {
    // What was dropped last is told now.
    await turn();
    undo();
    // What isn't the library's goes where it would have gone.
    for (const error of others) {
      setTimeout(() => {
        throw error;
      }, 0);
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function read(bytes: Uint8Array, shown: string, limits: PdfLimits): Promise<Rich> {
  const until = host.now() + limits.ms;
  const pdf = await open(bytes, shown);
  try {
    const total = pdf.numPages;
    if (total < 1) throw broken(shown, "it has no pages");
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
      // An abort gets its turn between pages.
      await turn();
    }
    const left = page < total ? `[pages ${page + 1}-${total} left out: ${stop}]` : undefined;
    const count = `${total} ${total === 1 ? "page" : "pages"}`;
    const note = left ? `[PDF of ${count}, the text of pages 1-${page}]` : `[PDF of ${count}, their text]`;
    return { note, text: [...parts, ...(left ? [left] : [])].join("\n") };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function open(bytes: Uint8Array, shown: string): Promise<Pdf> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    // A copy: the library takes the memory it is given for its own.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
      useWasm: false,
    });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw new AgentError(
        `Cannot read ${quote(shown)}: the PDF is encrypted and needs a password`,
        "make a copy without a password and read that",
      );
    }
    throw broken(shown, oneLine(error));
  }
}

function broken(shown: string, why: string): AgentError {
  return new AgentError(`Cannot read ${quote(shown)}: the PDF is broken (${why})`);
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
