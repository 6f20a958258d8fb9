import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { escapeXml } from "../../records/forms/xform.ts";
import { type ReasonLanguage, reasonLanguages } from "../../records/reason-texts.ts";
import { type Sentence, type SentenceValues, say } from "../say.ts";

/** Largest request to `submission`, in bytes. Clients split larger records into several requests. */
export const mostRequestBytes = 32 * 1024 * 1024;

/** Headers without which ODK Collect takes the server for something else. */
const openRosaHeaders = (language: ReasonLanguage = "en") => ({
  "X-OpenRosa-Version": "1.0",
  "X-OpenRosa-Accept-Content-Length": String(mostRequestBytes),
  "Content-Language": language,
  "Cache-Control": "private, no-store",
  Date: new Date().toUTCString(),
});

/** An error of the OpenRosa server. Its sentence is shown on the phone, in the phone's language. */
export class OpenRosaError extends Error {
  readonly status: ContentfulStatusCode;
  readonly sentence: Sentence;
  readonly values: SentenceValues;
  readonly headers: Record<string, string>;

  constructor(
    status: ContentfulStatusCode,
    sentence: Sentence,
    values: SentenceValues = {},
    headers: Record<string, string> = {},
  ) {
    super(say(sentence, "en", values));
    this.status = status;
    this.sentence = sentence;
    this.values = values;
    this.headers = headers;
  }
}

/** The language that a phone asks for (`Accept-Language`), of those in which records are explained; else English. */
export function languageOf(c: Context): ReasonLanguage {
  return accepts(c, {
    header: "Accept-Language",
    supports: [...reasonLanguages],
    default: "en",
    match: (accepted) => {
      const wanted = accepted.filter(({ q }) => q > 0).sort((a, b) => b.q - a.q);
      // A phone names its region too, such as pt-MZ.
      const tags = wanted.map(({ type }) => type.toLowerCase().split("-")[0]);
      return tags.find((tag) => reasonLanguages.some((each) => each === tag)) ?? "en";
    },
  }) as ReasonLanguage;
}

/** Answer with an XML document. */
export function answerXml(
  c: Context,
  xml: string | Uint8Array<ArrayBuffer>,
  status: ContentfulStatusCode = 200,
  language?: ReasonLanguage,
): Response {
  return c.body(xml, status, { ...openRosaHeaders(language), "Content-Type": "text/xml; charset=utf-8" });
}

export function answerEmpty(c: Context): Response {
  return c.body(null, 204, openRosaHeaders());
}

export function answerCsv(c: Context, csv: Buffer): Response {
  return c.body(new Uint8Array(csv), 200, { ...openRosaHeaders(), "Content-Type": "text/csv; charset=utf-8" });
}

/** Answer with a workbook to download. */
export function answerWorkbook(c: Context, bytes: Buffer, name: string): Response {
  return c.body(new Uint8Array(bytes), 200, {
    ...openRosaHeaders(),
    "Content-Type": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "Content-Disposition": `attachment; filename="${name.replaceAll(/[^\w.-]/g, "_")}.xlsx"`,
  });
}

/** Answer with a sentence that the client shows to the person. */
export function answerMessage(
  c: Context,
  status: ContentfulStatusCode,
  message: string,
  language?: ReasonLanguage,
): Response {
  const nature = status >= 400 ? "error" : "";
  const xml = `<?xml version="1.0" encoding="UTF-8"?><OpenRosaResponse xmlns="http://openrosa.org/http/response" items="0"><message nature="${nature}">${escapeXml(message)}</message></OpenRosaResponse>`;
  return answerXml(c, xml, status, language);
}
