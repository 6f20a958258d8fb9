import { createHash } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isLosslessNumber } from "lossless-json";
import { AppError, defineRules } from "../errors.ts";
import type { StoredResponse } from "../idempotency/index.ts";
import { canonicalJson } from "../values/canonical-json.ts";
import type { AppEnv } from "./context.ts";

const wellFormed = /^[\x21-\x7e]{1,255}$/;
const keptHeaders = ["content-type", "location"];

export type RunOnceOptions = {
  /** Fields of the response that hold secrets. */
  secrets?: readonly string[] | undefined;
  /** Fields of the body that are left out of the stored hash, at any level. */
  guessable?: readonly string[] | undefined;
};

/**
 * Create middleware that runs a write at most once per Idempotency-Key, API key and route (`POST /v1/things`). It sets
 * the context's `idempotencyKey` to the record's id, which is unique over all callers. A repeated response has
 * `Idempotency-Replayed: true`.
 * A response with one of the fields named in `secrets` is not stored: a second call gets 409 with the id of the created record.
 */
export function runOnce(
  route: string,
  { secrets = [], guessable = [] }: RunOnceOptions = {},
): MiddlewareHandler<AppEnv> {
  return async function runOnce(c, next) {
    const sent = c.req.header("idempotency-key");
    if (sent === undefined) return next();
    if (!wellFormed.test(sent)) throw malformedKey();
    const { idempotency } = c.get("platform");
    const name = { keyId: c.get("actor").keyId, route, idempotencyKey: sent };
    const decision = await idempotency.begin(name, hashRequest(c, guessable));
    if ("replay" in decision) return replay(c, decision.replay);
    c.set("idempotencyKey", decision.run);
    let settled = false;
    try {
      await next();
      const { status } = c.res;
      if (status < 400) await idempotency.finish(decision.run, await toStored(c.res, secrets));
      // What refuses a continued write, such as a role that was lost meanwhile, says nothing about what its first attempt did.
      else if (status < 500 && !decision.isContinued) await idempotency.forget(decision.run);
      else await idempotency.release(decision.run);
      settled = true;
    } finally {
      if (!settled) await idempotency.release(decision.run);
    }
  };
}

const broken = defineRules({ "request-key-wrong": ["format", "1 to 255 visible ASCII characters are expected."] });

function malformedKey(): AppError {
  return new AppError("INVALID_INPUT", "The Idempotency-Key is not well formed.", {
    details: [broken("request-key-wrong", "Idempotency-Key")],
  });
}

async function toStored(res: Response, secrets: readonly string[]): Promise<StoredResponse> {
  const headers: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = res.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  const body = await res.clone().text();
  if (secrets.length === 0) return { status: res.status, headers, body };
  const { id, ...answer } = JSON.parse(body) as Record<string, unknown>;
  if (!secrets.some((name) => name in answer)) return { status: res.status, headers, body };
  return { status: res.status, headers, body: null, ...(typeof id === "string" ? { madeId: id } : {}) };
}

/** Return a stored response again. @throws AppError CONFLICT for a response that held a secret */
function replay(c: Context<AppEnv>, { status, headers, body, madeId }: StoredResponse): Response {
  if (body === null) throw answeredOnce(madeId);
  const answer = { ...headers, "Idempotency-Replayed": "true" };
  return status === 204 ? c.body(null, 204, answer) : c.body(body, status as ContentfulStatusCode, answer);
}

function answeredOnce(madeId: string | undefined): AppError {
  const made = madeId === undefined ? "" : ` It made ${madeId}.`;
  const message = `This request was carried out before.${made} Its answer held a secret, which is shown once and never kept.`;
  const details = [{ path: "Idempotency-Key", rule: "secret-shown-once", message }];
  return new AppError("CONFLICT", message, { details, ...(madeId === undefined ? {} : { extra: { id: madeId } }) });
}

/** Hash path, query and body. White space and the order of fields in the body's JSON make no difference. */
function hashRequest(c: Context<AppEnv>, guessable: readonly string[]): string {
  const url = new URL(c.req.url);
  const hash = createHash("sha256").update(`${url.pathname}\n${url.search}\n`);
  const json = c.get("bodyJson");
  return hash
    .update(json === undefined ? (c.get("bodyBytes") ?? "") : canonicalJson(withoutFields(json, guessable)))
    .digest("hex");
}

/** Copy a JSON value without some fields, at any level. */
function withoutFields(json: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || typeof json !== "object" || json === null || isLosslessNumber(json)) return json;
  if (Array.isArray(json)) return json.map((each) => withoutFields(each, names));
  const kept = Object.entries(json).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutFields(value, names)]));
}
