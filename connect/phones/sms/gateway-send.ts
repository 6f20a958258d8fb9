import type { SmsSettings } from "../gateways/schemas.ts";

export type Sms = { to: string; text: string; id: string };
type Outgoing = { url: string; method: "GET" | "POST"; headers: Record<string, string>; body?: URLSearchParams };

const waitMs = 15_000;

/** A gateway that refused an SMS, or did not answer as documented. */
export class SmsGatewayError extends Error {
  override name = "SmsGatewayError";
}

/**
 * Send an SMS through a gateway.
 * @returns the gateway's id of the message; null when it gives none
 * @throws SmsGatewayError
 */
export async function gatewaySend(settings: SmsSettings, sms: Sms, signal: AbortSignal): Promise<string | null> {
  const { url, ...init } = requestOf(settings, sms);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const response = await fetch(url, { ...init, signal: limit, redirect: "error" });
  const text = await response.text();
  if (!response.ok) throw new SmsGatewayError(`The gateway answered ${response.status}.`);
  return settings.kind === "kannel" ? null : messageIdOf(settings.kind, text);
}

function requestOf(settings: SmsSettings, { to, text, id }: Sms): Outgoing {
  const base = settings.url.replace(/\/+$/, "");
  if (settings.kind === "africas-talking") {
    const body = new URLSearchParams({ username: settings.username, to, message: text });
    if (settings.from !== undefined) body.set("from", settings.from);
    const headers = { apiKey: settings.apiKey, accept: "application/json" };
    return { url: `${base}/version1/messaging`, method: "POST", headers, body };
  }
  if (settings.kind === "twilio") {
    const credentials = Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString("base64");
    return {
      url: `${base}/2010-04-01/Accounts/${settings.accountSid}/Messages.json`,
      method: "POST",
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ To: to, From: settings.from, Body: text }),
    };
  }
  const query = new URLSearchParams({ username: settings.username, password: settings.password, to, text });
  if (settings.from !== undefined) query.set("from", settings.from);
  // Kannel repeats this in its log, so that a message can be found there without its number.
  query.set("account", id);
  return { url: `${base}/cgi-bin/sendsms?${query}`, method: "GET", headers: {} };
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
    if (typeof sid === "string") return sid;
    throw new SmsGatewayError("The gateway named no message.");
  }
  const recipient = data?.Recipients?.[0];
  // 100 processed, 101 sent, 102 queued.
  const isTaken = [100, 101, 102].includes(Number(recipient?.statusCode));
  if (isTaken && typeof recipient?.messageId === "string") return recipient.messageId;
  throw new SmsGatewayError("The gateway did not take the message.");
}
