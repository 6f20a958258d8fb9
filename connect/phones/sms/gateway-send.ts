import type { RoomHost } from "../../room.ts";
import { allowanceOf } from "../gateways/allowance.ts";
import type { SmsSettings } from "../gateways/schemas.ts";
import { splitSms } from "./parts.ts";

export type Sms = { to: string; text: string; id: string };
export type HttpSettings = Exclude<SmsSettings, { kind: "smpp" | "simulator" }>;
type Outgoing = { url: string; method: "GET" | "POST"; headers: Record<string, string>; body?: string };

const waitMs = 15_000;
const maxAnswerBytes = 64 * 1024;
/** Which reports Kannel sends: delivered (1), not delivered (2), refused by the SMSC (16). */
const kannelReports = 1 + 2 + 16;

/** A gateway that refused an SMS, or did not answer as documented. */
export class SmsGatewayError extends Error {
  override name = "SmsGatewayError";
}

/**
 * Send an SMS through a gateway that has HTTP.
 * @param reportUrl where the gateway reports about the message
 * @returns the gateway's id of the message
 * @throws SmsGatewayError
 */
export async function gatewaySend(
  call: RoomHost["callOutside"],
  settings: HttpSettings,
  { sms, reportUrl, signal }: { sms: Sms; reportUrl: string | undefined; signal: AbortSignal },
): Promise<string> {
  const { url, ...request } = requestOf(settings, sms, reportUrl);
  const limits = { timeoutMs: waitMs, maxBytes: maxAnswerBytes, signal, returnsRedirect: true };
  const { status, body } = await call(url, { ...request, ...limits }, allowanceOf(settings));
  const text = body.toString("utf8");
  if (status < 200 || status > 299) throw new SmsGatewayError(`The gateway answered ${status}.`);
  // Kannel names no message. Its reports have ours.
  return settings.kind === "kannel" ? sms.id : messageIdOf(settings.kind, text);
}

function requestOf(settings: HttpSettings, sms: Sms, reportUrl: string | undefined): Outgoing {
  const { to, text } = sms;
  const base = settings.url.replace(/\/+$/, "");
  if (settings.kind === "africas-talking") {
    const body = new URLSearchParams({ username: settings.username, to, message: text });
    if (settings.from !== undefined) body.set("from", settings.from);
    const headers = { apiKey: settings.apiKey, accept: "application/json" };
    return form(`${base}/version1/messaging`, headers, body);
  }
  if (settings.kind === "twilio") {
    const credentials = Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString("base64");
    const body = new URLSearchParams({ To: to, From: settings.from, Body: text });
    if (reportUrl !== undefined) body.set("StatusCallback", reportUrl);
    const path = `2010-04-01/Accounts/${encodeURIComponent(settings.accountSid)}/Messages.json`;
    return form(`${base}/${path}`, { authorization: `Basic ${credentials}` }, body);
  }
  return { url: `${base}/cgi-bin/sendsms?${kannelQuery(settings, sms, reportUrl)}`, method: "GET", headers: {} };
}

function form(url: string, headers: Record<string, string>, fields: URLSearchParams): Outgoing {
  const type = { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  return { url, method: "POST", headers: { ...headers, ...type }, body: fields.toString() };
}

function kannelQuery(
  settings: Extract<HttpSettings, { kind: "kannel" }>,
  { to, text, id }: Sms,
  reportUrl: string | undefined,
): URLSearchParams {
  const { username, password } = settings;
  // 0: the GSM alphabet, 2: UCS-2.
  const coding = splitSms(text).coding === "gsm" ? "0" : "2";
  const query = new URLSearchParams({ username, password, to, text, coding, charset: "UTF-8" });
  if (settings.from !== undefined) query.set("from", settings.from);
  // Kannel repeats this in its log, so that a message can be found there without its number.
  query.set("account", id);
  if (reportUrl !== undefined) {
    query.set("dlr-mask", String(kannelReports));
    // Kannel writes the report's kind in place of %d.
    query.set("dlr-url", `${reportUrl}?${new URLSearchParams({ id })}&status=%d`);
  }
  return query;
}

/** @throws SmsGatewayError for an answer that accepts nothing */
function messageIdOf(kind: "africas-talking" | "twilio", text: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new SmsGatewayError("The gateway's answer is not JSON.");
  }
  const { sid, SMSMessageData: data } = answer as {
    sid?: unknown;
    SMSMessageData?: { Recipients?: { messageId?: unknown; statusCode?: unknown }[] };
  };
  if (kind === "twilio") {
    if (isMessageId(sid)) return sid;
    throw new SmsGatewayError("The gateway named no message.");
  }
  const recipient = data?.Recipients?.[0];
  // 100 processed, 101 sent, 102 queued.
  const isTaken = [100, 101, 102].includes(Number(recipient?.statusCode));
  if (isTaken && isMessageId(recipient?.messageId)) return recipient.messageId;
  throw new SmsGatewayError("The gateway did not take the message.");
}

/** Whether a gateway's id of a message can be stored. A message whose id cannot be would be sent again and again. */
export const isMessageId = (value: unknown): value is string =>
  typeof value === "string" && /^[\x20-\x7e]{1,200}$/.test(value);
