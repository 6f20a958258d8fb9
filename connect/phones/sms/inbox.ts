import { createHmac, timingSafeEqual } from "node:crypto";
import type { PhoneDeps } from "../deps.ts";
import type { SmsSettings } from "../gateways/schemas.ts";
import type { MessageStatus } from "../tables.ts";
import { phoneTexts } from "../texts.ts";
import { sendSms } from "./outbox.ts";

const stopWords = new Set(["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "ARRET", "PARAR", "SIMAMA"]);
const startWords = new Set(["START", "UNSTOP", "YES"]);

/** Read who sent an SMS and its text, by the names that each gateway gives them. */
export function incomingSms(kind: SmsSettings["kind"], fields: URLSearchParams): { from: string; text: string } {
  const names = kind === "twilio" ? { from: "From", text: "Body" } : { from: "from", text: "text" };
  return { from: fields.get(names.from) ?? "", text: fields.get(names.text) ?? "" };
}

/** Handle an SMS of a household: STOP ends its SMS and START begins them again. Other texts and unknown numbers change nothing. */
export async function receiveSms(deps: PhoneDeps, { from, text }: { from: string; text: string }): Promise<void> {
  const { store, box, host } = deps;
  const phone = await store.phone(box.hash(from));
  const word = text.trim().toUpperCase();
  if (phone === undefined || !(stopWords.has(word) || startWords.has(word))) return;
  const isStop = stopWords.has(word);
  // A gateway repeats what it got no answer for.
  if (isStop === (phone.stoppedAt !== null)) return;
  await store.changePhone(phone.numberHash, { stoppedAt: isStop ? host.clock.now() : null });
  const texts = phoneTexts[phone.language];
  await sendSms(deps, phone, isStop ? texts.stopped : texts.started, { always: true });
}

const statusWords: Record<string, MessageStatus> = {
  success: "delivered",
  delivered: "delivered",
  failed: "failed",
  rejected: "failed",
  undelivered: "failed",
};

/** Record a delivery report. Reports of other states, and of unknown messages, change nothing. */
export async function receiveReport(
  { store }: PhoneDeps,
  kind: SmsSettings["kind"],
  fields: URLSearchParams,
): Promise<void> {
  const id = fields.get(kind === "twilio" ? "MessageSid" : "id");
  const word = fields.get(kind === "twilio" ? "MessageStatus" : "status")?.toLowerCase() ?? "";
  const status = statusWords[word];
  if (id !== null && status !== undefined) await store.reportMessage(id, status);
}

/** Check Twilio's signature: HMAC-SHA1 of the URL and the sorted fields. */
export function isSignedByTwilio(authToken: string, url: string, fields: URLSearchParams, signature: string): boolean {
  const signed = [...fields].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([name, value]) => name + value);
  const expected = createHmac("sha1", authToken)
    .update(url + signed.join(""), "utf8")
    .digest();
  const given = Buffer.from(signature, "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
