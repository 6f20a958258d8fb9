import { createHash } from "node:crypto";
import { isGsm, MAX_SEPTETS, septetsOf } from "../gsm.ts";

/** Most characters of one SMS in UCS-2, which is used when the GSM alphabet lacks a letter. */
const maxUcs2 = 70;
/** A part of a longer SMS has 7 septets, or 3 characters of UCS-2, less: a header with its number. */
const partSeptets = 153;
const partUcs2 = 67;
/** Most parts of a message: each one costs as much as an SMS. */
export const MAX_PARTS = 3;

export type SmsParts = {
  coding: "gsm" | "ucs2";
  parts: string[];
};

/** Split a text into the parts in which it is sent. No escaped character and no surrogate pair is cut. */
export function splitSms(text: string): SmsParts {
  const isPlain = isGsm(text);
  const sizeOf = isPlain ? septetsOf : (part: string) => part.length;
  const [whole, most] = isPlain ? [MAX_SEPTETS, partSeptets] : [maxUcs2, partUcs2];
  const coding = isPlain ? "gsm" : "ucs2";
  if (sizeOf(text) <= whole) return { coding, parts: [text] };
  const parts = [""];
  let size = 0;
  for (const symbol of text) {
    const more = sizeOf(symbol);
    if (size + more > most) {
      parts.push("");
      size = 0;
    }
    parts[parts.length - 1] += symbol;
    size += more;
  }
  return { coding, parts };
}

/**
 * Header of a part (3GPP TS 23.040, concatenated short messages). Its reference follows from the message's id, so a phone that gets a part
 * again, after a lost answer, shows it once.
 */
export function headerOf(messageId: string, part: number, parts: number): Buffer {
  const [reference = 0] = createHash("sha256").update(messageId).digest();
  return Buffer.from([5, 0, 3, reference, parts, part]);
}

/** Shorten a text to what may be sent; a shortened one ends with two dots. */
export function fitSms(text: string): string {
  const { parts } = splitSms(text);
  if (parts.length <= MAX_PARTS) return text;
  const kept = [...parts.slice(0, MAX_PARTS).join("")];
  return `${kept.slice(0, -2).join("")}..`;
}
