/** Files that tests make: the smallest image, and PDFs by hand. */

/** One pixel, as base64. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export interface PdfOptions {
  /** More of the file's trailer, such as `/Encrypt …`. */
  trailer?: string;
  /** What the catalogue claims to hold. */
  count?: number;
}

/** A PDF with a page for each list of lines. */
export function pdf(
  pages: readonly (readonly string[])[],
  { trailer = "", count }: PdfOptions = {},
): Uint8Array {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${count ?? pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  for (const [index, lines] of pages.entries()) {
    const content = `BT /F1 12 Tf 14 TL 72 720 Td ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * index} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  return pdfOf(objects, trailer);
}

/** A PDF of 3 KB whose one page is drawn from 10¹¹ pieces. */
export function endlessPdf(): Uint8Array {
  const kids = Array.from({ length: 12 }, (_, index) => {
    const last = index === 11;
    const content = last ? "BT /F1 1 Tf 0 0 Td (x) Tj ET" : "/X Do ".repeat(10);
    const next = last ? "" : `/XObject << /X ${6 + index} 0 R >>`;
    return `<< /Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /Font << /F1 3 0 R >> ${next} >> ` +
      `/Length ${content.length} >>\nstream\n${content}\nendstream`;
  });
  return pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 17 0 R /Resources << /XObject << /X 5 0 R >> >> >>",
    ...kids,
    "<< /Length 5 >>\nstream\n/X Do\nendstream",
  ]);
}

function pdfOf(objects: readonly string[], trailer = ""): Uint8Array {
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}` +
    `trailer << /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return new TextEncoder().encode(text);
}
