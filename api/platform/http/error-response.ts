import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isLosslessNumber } from "lossless-json";
import type { ZodError } from "zod";
import { AppError, type ErrorCode, type RuleDetail } from "../errors.ts";
import { unavailableError } from "../unavailable.ts";
import type { AppEnv } from "./context.ts";
import { loggedPath } from "./logged-path.ts";

const reasonByStatus: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

export type ErrorBody = {
  error: string;
  code: ErrorCode;
  message: string;
  status: number;
  statusCode: number;
  details: RuleDetail[];
  requestId: string;
  [extra: string]: unknown;
};

/** Build the body of an error. `status` and `statusCode` are equal, because clients of both kinds exist. */
export function toErrorBody(error: AppError, requestId: string): ErrorBody {
  return {
    error: reasonByStatus[error.status] ?? "Error",
    code: error.code,
    message: error.message,
    status: error.status,
    statusCode: error.status,
    details: error.details,
    requestId,
    ...error.extra,
  };
}

/** Convert anything thrown to a response. An unexpected error is logged in full and returns a fixed message. */
export function respondError(thrown: unknown, c: Context<AppEnv>): Response {
  const left = c.req.raw.signal.aborted && !(thrown instanceof AppError);
  const error = left ? clientLeft(thrown) : toAppError(thrown);
  const log = c.get("platform")?.log;
  const requestId = c.get("requestId") ?? "";
  if (left) log?.info({ err: thrown, requestId }, "the client left before the answer");
  if (error.status >= 500) {
    log?.error({ err: thrown, requestId, method: c.req.method, path: loggedPath(c.req.path) }, "request failed");
  }
  for (const [name, value] of Object.entries(error.headers ?? {})) c.header(name, value);
  return c.json(toErrorBody(error, requestId), error.status as ContentfulStatusCode);
}

/** Use a 4xx when the client has disconnected. It does not receive it, but metrics must not count a 5xx. */
function clientLeft(thrown: unknown): AppError {
  return new AppError("INVALID_INPUT", "The client left before the answer.", { cause: thrown });
}

export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof HTTPException && thrown.status < 500) {
    return new AppError(codeForStatus(thrown.status), thrown.message || "The request cannot be read.", {
      cause: thrown,
    });
  }
  return (
    unavailableError(thrown) ??
    new AppError("INTERNAL", "Something went wrong on our side. It has been recorded.", { cause: thrown })
  );
}

function codeForStatus(status: number): ErrorCode {
  if (status === 401) return "UNAUTHENTICATED";
  if (status === 403) return "FORBIDDEN";
  if (status === 404) return "NOT_FOUND";
  if (status === 409) return "CONFLICT";
  if (status === 413) return "TOO_LARGE";
  if (status === 429) return "RATE_LIMITED";
  return "INVALID_INPUT";
}

type Issue = ZodError["issues"][number];

/**
 * List every issue of a failed parse, with one entry for each unknown field. `prefix` is put before each path (as in `query`).
 * `input` is the parsed value: zod sees its exact numbers as objects and would name their inner fields.
 */
export function zodDetails(
  error: ZodError,
  { prefix, input }: { prefix?: string; input?: unknown } = {},
): RuleDetail[] {
  const base = prefix === undefined ? [] : [prefix];
  const details = error.issues.flatMap((issue) => issueDetails(issue, base, input));
  return [...new Map(details.map((each) => [`${each.path} ${each.rule} ${each.message}`, each])).values()];
}

function issueDetails(issue: Issue, base: PropertyKey[], input: unknown): RuleDetail[] {
  const path = [...base, ...issue.path];
  const number = numberOnPath(issue, path, input);
  if (number !== undefined) return [detail(number, "type", "An object is expected, not a number.")];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => detail([...path, key], "unknown-field", "This field is not known here."));
  }
  if (issue.code === "invalid_union") {
    const nearest = [...issue.errors].sort((a, b) => a.length - b.length)[0];
    if (nearest !== undefined && nearest.length > 0)
      return nearest.flatMap((inner) => issueDetails(inner as Issue, path, input));
  }
  return [detail(path, issueRule(issue), issue.message)];
}

/** Return the path of the exact number that the issue is about; undefined when it is about another value. */
function numberOnPath(issue: Issue, path: PropertyKey[], input: unknown): PropertyKey[] | undefined {
  let value = input;
  for (const [depth, key] of path.entries()) {
    if (isLosslessNumber(value)) return path.slice(0, depth);
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return issue.code === "unrecognized_keys" && isLosslessNumber(value) ? path : undefined;
}

function issueRule(issue: Issue): string {
  if (issue.code === "custom" && typeof issue.params?.rule === "string") return issue.params.rule;
  // zod reports a missing field as a wrong type that "received undefined".
  if (issue.code === "invalid_type") return issue.message.includes("received undefined") ? "required" : "type";
  if (issue.code === "too_big" || issue.code === "too_small") return "range";
  if (issue.code === "invalid_value") return "one-of";
  return "format";
}

/** What is wrong with a field, in general; the message says it exactly. */
const codes: Record<string, string> = {
  required: "field-missing",
  "unknown-field": "field-unknown",
  type: "field-of-other-type",
  range: "field-out-of-range",
  "one-of": "field-not-a-choice",
};

const otherCode = "field-not-well-formed";
/** Every code of a field that breaks a schema. */
export const codesOfFields = [...Object.values(codes), otherCode];

function detail(path: PropertyKey[], rule: string, message: string): RuleDetail {
  if (path.length === 0) return { rule, message };
  const field = path.map(String).join(".");
  return { path: field, rule, message, code: codes[rule] ?? otherCode, values: { field } };
}
