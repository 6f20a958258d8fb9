import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { HonoRequest } from "hono";
import { limitFailures } from "../../../api/platform/http/index.ts";
import { realm } from "../collectors/password.ts";
import type { SignedIn } from "../collectors/service.ts";
import type { OdkDeps } from "../deps.ts";
import { OpenRosaError } from "../openrosa/answer.ts";
import type { Sentence } from "../say.ts";
import type { CollectorRow } from "../tables.ts";
import { type DigestCredentials, readCredentials } from "./authorization.ts";

/** The part of a route's context that is needed to sign in. */
type PasswordContext = Parameters<typeof limitFailures>[0] & { req: Pick<HonoRequest, "url" | "raw"> };
/** Sign a collector in by user name and password. @throws OpenRosaError 401 with a challenge, 400, 403; AppError RATE_LIMITED */
export type SignInByPassword = (c: PasswordContext) => Promise<SignedIn>;

/** Open the sign-in of HTTP Digest (RFC 7616) with MD5 and qop=auth, which ODK Collect speaks. */
export function openSignInByPassword({ host, collectors, nonces }: OdkDeps): SignInByPassword {
  /** Stands for the hash of a collector that does not exist, so that a request with an unknown name takes as long as others. */
  let nobody: string | undefined;
  const challenge = (sentence: Sentence, stale = "") => {
    const scheme = `Digest realm="${realm}", qop="auth", algorithm=MD5, nonce="${nonces.issue()}"${stale}`;
    return new OpenRosaError(401, sentence, {}, { "WWW-Authenticate": scheme });
  };

  return async (c) => {
    const header = c.req.header("authorization") ?? "";
    // Also for another scheme: some versions of Collect send Basic first, by https.
    if (!/^Digest\b/i.test(header)) throw challenge("enterPassword");
    const credentials = readCredentials(header);
    if (!targetsOf(c).includes(credentials.uri)) {
      throw new OpenRosaError(400, "otherAddress");
    }
    const collector = await collectors.find(credentials.username);
    nobody ??= host.secretBox.seal(randomBytes(16).toString("hex"));
    const ha1 = host.secretBox.open(collector?.sealedHa1 ?? nobody);
    if (!isResponse(credentials, ha1, c.req.raw.method) || !hasPassword(collector)) {
      await limitFailures(c);
      throw challenge("passwordWrong");
    }
    if (collector.revokedAt !== null) {
      throw new OpenRosaError(403, "userEnded");
    }
    if (!(await nonces.use(collector.id, credentials.nonce, Number.parseInt(credentials.nc, 16)))) {
      // No guess: the password was right, so clients repeat the request with the new nonce and ask nobody.
      throw challenge("sentTooLate", ", stale=true");
    }
    return { collector, client: host.client(host.secretBox.open(collector.keyForPassword)) };
  };
}

type WithPassword = CollectorRow & { sealedHa1: string; keyForPassword: string };

function hasPassword(collector: CollectorRow | undefined): collector is WithPassword {
  return typeof collector?.sealedHa1 === "string" && collector.keyForPassword !== null;
}

/** Check the client's hash of password, nonce, count, method and target. */
function isResponse({ nonce, nc, cnonce, uri, response }: DigestCredentials, ha1: string, method: string): boolean {
  const expected = md5(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${md5(`${method}:${uri}`)}`);
  return timingSafeEqual(Buffer.from(response, "hex"), Buffer.from(expected, "hex"));
}

function md5(text: string): string {
  return createHash("md5").update(text, "latin1").digest("hex");
}

/**
 * The target that the client sent, byte by byte, also with the path of each of the server's URLs: a proxy may have removed that.
 */
function targetsOf(c: PasswordContext): string[] {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  const { pathname, search } = new URL(c.req.url);
  const target = incoming?.url ?? `${pathname}${search}`;
  const { publicUrl, publicAliases } = c.get("platform").config;
  const paths = [publicUrl, ...publicAliases].map((url) => new URL(url).pathname.replace(/\/$/, ""));
  return ["", ...paths].map((path) => `${path}${target}`);
}
