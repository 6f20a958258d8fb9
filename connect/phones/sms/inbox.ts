import type { PhoneDeps } from "../deps.ts";
import type { SmsSettings } from "../gateways/schemas.ts";
import { numberGiven } from "../number-given.ts";
import type { ReportedStatus } from "../tables.ts";
import { phoneTexts } from "../texts.ts";
import { isMessageId } from "./gateway-send.ts";
import { newMessage } from "./outbox.ts";

const stopWords = new Set(["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "ARRET", "PARAR", "SIMAMA"]);
const startWords = new Set(["START", "UNSTOP", "YES"]);

/** An SMS of a person. `id`: the gateway's, the same when it repeats the SMS; undefined where it gives none. */
export type IncomingSms = { gatewayId: string; from: string; text: string; id: string | undefined };

const smsNames = {
  twilio: { from: "From", text: "Body", id: "MessageSid" },
  usual: { from: "from", text: "text", id: "id" },
};

/** Read who sent an SMS and its text, by the names that each gateway gives them. */
export function incomingSms(gateway: { id: string; kind: SmsSettings["kind"] }, fields: URLSearchParams): IncomingSms {
  const names = gateway.kind === "twilio" ? smsNames.twilio : smsNames.usual;
  return {
    gatewayId: gateway.id,
    from: numberGiven(fields.get(names.from)),
    text: fields.get(names.text) ?? "",
    // The database keeps no NUL. Without an id, a repeated SMS is found by what it would change.
    id: (fields.get(names.id) ?? "").replaceAll("\0", "").slice(0, 200) || undefined,
  };
}

/**
 * Handle an SMS of a household, once: STOP ends its SMS and START begins them again. Other texts and unknown numbers change nothing.
 */
export async function receiveSms(deps: PhoneDeps, { gatewayId, from, text, id }: IncomingSms): Promise<void> {
  const { store, box, host } = deps;
  const phone = await store.phone(box.hash(from));
  const word = text.trim().toUpperCase();
  if (phone === undefined || !(stopWords.has(word) || startWords.has(word))) return;
  const isStop = stopWords.has(word);
  const receivedAt = host.clock.now();
  const { stopped, started } = phoneTexts[phone.language];
  await store.answerWord(
    phone,
    { gatewayId, gatewayMessageId: id, receivedAt },
    { stoppedAt: isStop ? receivedAt : null, answer: newMessage(deps, phone, isStop ? stopped : started) },
  );
  deps.wake.outbox();
}

/** Words of Africa's Talking and Twilio, and Kannel's numbers: 1 delivered, 2 not delivered, 16 refused by the SMSC. */
const statusWords: Record<string, ReportedStatus> = {
  success: "delivered",
  delivered: "delivered",
  failed: "failed",
  rejected: "failed",
  undelivered: "failed",
  1: "delivered",
  2: "failed",
  16: "failed",
};

/** Record a delivery report. Reports of other states change nothing. */
export async function receiveReport(
  { store, host }: PhoneDeps,
  gateway: { id: string; kind: SmsSettings["kind"] },
  fields: URLSearchParams,
): Promise<void> {
  const id = fields.get(gateway.kind === "twilio" ? "MessageSid" : "id");
  const word = fields.get(gateway.kind === "twilio" ? "MessageStatus" : "status")?.toLowerCase() ?? "";
  const status = statusWords[word];
  if (isMessageId(id) && status !== undefined) await store.reportPart(gateway.id, id, status, host.clock.now());
}
