import type { Pdu } from "smpp";
import type { ReportedStatus } from "../tables.ts";

/** What an SMSC brings: an SMS of a person, or a report about one of ours. */
export type Incoming =
  | { kind: "sms"; from: string; text: string }
  /** `status` is undefined for a report before the end. */
  | { kind: "report"; id: string; status: ReportedStatus | undefined };

/** Bits of esm_class: 0x04 a delivery receipt, 0x20 a notification before the end. */
const receiptBits = 0x24;
const wordStatuses: Record<string, ReportedStatus> = {
  DELIVRD: "delivered",
  EXPIRED: "failed",
  DELETED: "failed",
  UNDELIV: "failed",
  REJECTD: "failed",
};
/** message_state (SMPP 3.4, 5.2.28). */
const stateStatuses: Record<number, ReportedStatus> = {
  2: "delivered",
  3: "failed",
  4: "failed",
  5: "failed",
  8: "failed",
};

/** Read what an SMSC brings; undefined for any other request. */
export function readDelivery(pdu: Pdu): Incoming | undefined {
  if (pdu.command !== "deliver_sm" && pdu.command !== "data_sm") return undefined;
  const message = pdu.short_message?.message;
  const content = message !== undefined && message.length > 0 ? message : pdu.message_payload?.message;
  // Bytes of an encoding that the library does not know: no word of ours is in it.
  const text = typeof content === "string" ? content : "";
  if (((pdu.esm_class ?? 0) & receiptBits) === 0) return { kind: "sms", from: numberOf(pdu), text };
  const id = pdu.receipted_message_id ?? /\bid:\s*([^\s]+)/i.exec(text)?.[1] ?? "";
  const word = /\bstat:\s*([A-Z]+)/i.exec(text)?.[1]?.toUpperCase();
  const byState = pdu.message_state === undefined ? undefined : stateStatuses[pdu.message_state];
  return { kind: "report", id, status: byState ?? (word === undefined ? undefined : wordStatuses[word]) };
}

function numberOf({ source_addr: from = "", source_addr_ton: type }: Pdu): string {
  return type === 1 && !from.startsWith("+") ? `+${from}` : from;
}

/** Describe the sender: an international number, a short code, or letters. */
export function sourceOf(from: string): Record<string, unknown> {
  if (/^\+?\d{7,}$/.test(from)) return { source_addr_ton: 1, source_addr_npi: 1, source_addr: from.replace(/^\+/, "") };
  const isShortCode = /^\d+$/.test(from);
  return { source_addr_ton: isShortCode ? 3 : 5, source_addr_npi: 0, source_addr: from };
}
