import type { OutboundRequest, OutboundResponse } from "../../../api/platform/outbound/index.ts";
import { type CallOutcome, PartnerError } from "./partner-api.ts";

export type PartnerRequest = {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
};
export type PartnerAnswer = { status: number; body: Record<string, unknown> };
export type Token = { value: string; expiresAt: number };

const waitMs = 30_000;
const maxBytes = 64 * 1024;
/** A token is renewed before its end, in milliseconds. */
const spareMs = 10_000;

/** Calls a partner's address, by the rules for addresses that people name. */
export type CallPartner = (url: string, request: OutboundRequest) => Promise<OutboundResponse>;

/**
 * Send a request to a partner.
 * @returns its answer of any status; a body that is not a JSON object is empty
 * @throws PartnerError when no answer came
 */
export async function sendToPartner(
  call: CallPartner,
  { url, ...init }: PartnerRequest,
  signal: AbortSignal,
): Promise<PartnerAnswer> {
  try {
    // A redirect is an answer like any other: the secrets are for this address only.
    const answer = await call(url, { ...init, signal, timeoutMs: waitMs, maxBytes, returnsRedirect: true });
    return { status: answer.status, body: objectIn(answer.body.toString("utf8")) };
  } catch (cause) {
    // Without the cause's message: it may repeat the request.
    throw new PartnerError(`The partner did not answer (${cause instanceof Error ? cause.name : "unknown"}).`);
  }
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text, readValue);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

/** Numbers stay text, so that an amount is never a float. Texts lose what the database cannot hold. */
function readValue(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed();
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}

/** Read a field below others of an answer; undefined when one of them is missing. */
export function fieldOf(body: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    body,
  );
}

/** Read a text of an answer; undefined when it is missing or something else. */
export function textOf(body: unknown, ...path: string[]): string | undefined {
  const value = fieldOf(body, ...path);
  return typeof value === "string" ? value : undefined;
}

/**
 * Create a client that sends requests with an access token. It renews the token before its end, and once when the partner no longer
 * accepts it: a request with 401 was not carried out.
 * @param renew gets a token, with its end in milliseconds since 1970
 */
export function withToken(callPartner: CallPartner, renew: (signal: AbortSignal) => Promise<Token>) {
  let token: Token | undefined;
  const current = async (signal: AbortSignal): Promise<string> => {
    if (token === undefined || token.expiresAt - spareMs <= Date.now()) token = await renew(signal);
    return token.value;
  };
  const sendWith = (value: string, request: PartnerRequest, signal: AbortSignal) =>
    sendToPartner(
      callPartner,
      { ...request, headers: { ...request.headers, authorization: `Bearer ${value}` } },
      signal,
    );
  return {
    /** Send a request. @throws PartnerError when no answer came */
    async send(request: PartnerRequest, signal: AbortSignal): Promise<PartnerAnswer> {
      const answer = await sendWith(await current(signal), request, signal);
      if (answer.status !== 401) return answer;
      token = undefined;
      return sendWith(await current(signal), request, signal);
    },
    /** Send a call that moves money. Without a token it was not sent; without an answer it may have been carried out. */
    async call(
      request: PartnerRequest,
      signal: AbortSignal,
      outcomeOf: (answer: PartnerAnswer) => CallOutcome,
    ): Promise<CallOutcome> {
      for (let tries = 1; ; tries++) {
        let value: string;
        try {
          value = await current(signal);
        } catch (error) {
          return { kind: "postponed", reason: reasonOfError(error) };
        }
        try {
          const answer = await sendWith(value, request, signal);
          if (answer.status !== 401 || tries > 1) return outcomeOf(answer);
          token = undefined;
        } catch (error) {
          return { kind: "uncertain", reason: reasonOfError(error) };
        }
      }
    },
  };
}

/** @throws what is not a PartnerError */
function reasonOfError(error: unknown): string {
  if (error instanceof PartnerError) return error.message;
  throw error;
}

/** Read an OAuth answer. @throws PartnerError without a token */
export function tokenIn({ status, body }: PartnerAnswer): Token {
  const value = textOf(body, "access_token");
  const seconds = Number(fieldOf(body, "expires_in"));
  if (value === undefined || !(seconds > 0)) throw new PartnerError(`The partner gave no token (${status}).`);
  return { value, expiresAt: Date.now() + seconds * 1000 };
}
