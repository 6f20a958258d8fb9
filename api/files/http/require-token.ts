import { createHash } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";
import { limitFailures, limitRequests } from "../../platform/http/index.ts";
import { Access, type Authority, type Grant } from "../../platform/ucan/index.ts";
import type { FileEnv } from "./env.ts";

const challenge = 'Bearer realm="hearth-files"';

/**
 * Require a valid capability token (`Authorization: Bearer <base64 CAR>`), within the rate limit of its namespace and invoker. Sets
 * `c.var.access` to what the token allows. `X-Auth-Type: ucan` is accepted too.
 */
export function requireToken(authority: Authority): MiddlewareHandler<FileEnv> {
  return async function requireToken(c, next) {
    const grant = await verify(authority, c);
    c.set("access", new Access(grant));
    // A DID may be longer than the limiter's key.
    const subject = createHash("sha256").update(`${grant.owner}\n${grant.invoker}`).digest("hex");
    await limitRequests(c, `fs:${subject}`, "This token's bearer");
    await next();
  };
}

async function verify(authority: Authority, c: Context<FileEnv>): Promise<Grant> {
  try {
    return await authority.verifyBearer(c.req.header("authorization"));
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 401) throw error;
    await limitFailures(c);
    const reason = error.code === "UNAUTHENTICATED" ? "" : ', error="invalid_token"';
    c.header("WWW-Authenticate", `${challenge}${reason}`);
    throw error;
  }
}
