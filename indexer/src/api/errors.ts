import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Context } from "hono";

const statuses = {
  INVALID_INPUT: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;
export type ErrorCode = keyof typeof statuses;
export type Detail = { path?: string; rule: string; message: string };

/** The request id that the caller sent, or a new one. */
export function requestIdOf(c: Context): string {
  const given = c.req.header("x-request-id");
  return given !== undefined && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Respond with the error shape of all Hearth services. */
export function refuse(
  c: Context,
  code: ErrorCode,
  message: string,
  { details = [], headers = {} }: { details?: Detail[]; headers?: Record<string, string> } = {},
): Response {
  const status = statuses[code];
  const requestId = requestIdOf(c);
  const body = { error: STATUS_CODES[status], code, message, status, statusCode: status, details, requestId };
  return c.json(body, status, { ...headers, "X-Request-Id": requestId });
}
