import { type Language, phrase, sentenceOf } from "./texts.ts";
import type { NoticeType } from "./topics.ts";

/** A notice as a message shows it. */
export type ShownNotice = { type: NoticeType; subject: string; deadline: string | null };
/** The addresses that a message links to. */
export type Links = { console: string; end: string; confirm: string };

/** Page of the console that shows what a notice is about, below the console's address. */
function pageOf({ type, subject }: ShownNotice): string {
  const id = encodeURIComponent(subject);
  switch (type.slice(0, type.indexOf("."))) {
    case "claim":
    case "redemption":
    case "itmo":
      return `regulator/trace/${id}`;
    case "campaign":
    case "finding":
      return `regulator/campaigns/${id}`;
    case "pin":
      return "implementer/access";
    case "payout":
      return "supplier/payouts";
    case "pool":
      return "regulator/pool";
    default:
      return "";
  }
}

/** Most notices that one e-mail names. */
const MOST_LINES = 30;

/** Write one e-mail about all notices. @returns plain text, so that every reader and filter takes it */
export function writeEmail(
  notices: ShownNotice[],
  language: Language,
  links: Links,
): { subject: string; text: string } {
  if (notices.some(({ type }) => type === "address.confirm")) return writeConfirmation(language, links);
  const lines = notices.slice(0, MOST_LINES).flatMap((notice) => {
    const page = pageOf(notice);
    return [`- ${sentenceOf(notice, language)}`, ...(page === "" ? [] : [`  ${links.console}${page}`])];
  });
  const more = notices.length - MOST_LINES;
  if (more > 0) lines.push(phrase("more", language, { count: String(more) }));
  const text = [
    ...lines,
    "",
    phrase("open", language, { url: links.console }),
    "",
    phrase("end", language, { url: links.end }),
    "",
  ].join("\n");
  return { subject: title(notices.length, language), text };
}

function writeConfirmation(language: Language, links: Links): { subject: string; text: string } {
  const request = { type: "address.confirm" as const, subject: "", deadline: null };
  const text = [
    sentenceOf(request, language),
    "",
    phrase("confirmLink", language, { url: links.confirm }),
    "",
    phrase("ignore", language),
    "",
  ].join("\n");
  return { subject: phrase("confirm", language), text };
}

/** Write what a browser shows: the newest notice, how many there are, and a button that ends the notifications of this browser. */
export function writePush(notices: ShownNotice[], language: Language, links: Links): string {
  const [newest] = notices;
  const body = newest === undefined ? "" : sentenceOf(newest, language);
  const url = newest === undefined ? links.console : `${links.console}${pageOf(newest)}`;
  const end = { url: links.end, label: phrase("endPush", language), done: phrase("endedPush", language) };
  return JSON.stringify({ title: title(notices.length, language), body, url, end });
}

function title(count: number, language: Language): string {
  return count === 1 ? phrase("one", language) : phrase("several", language, { count: String(count) });
}
