import { createHash, randomBytes } from "node:crypto";
import { DigestClient } from "digest-fetch";

export type Password = { username: string; password: string };
export type Challenge = { nonce: string; stale: boolean };
type Parts = { method?: string; uri: string; nonce: string; nc?: number; algorithm?: string };

/** For tests: HTTP as a client sends it that has a user name and a password (digest-fetch). */
export function withPassword({ username, password }: Password) {
  const client = new DigestClient(username, password);
  const request = async (url: string, init: RequestInit = {}): Promise<Response> =>
    // The client writes its header into the options that it is given.
    (await client.fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>) } })) as Response;
  return { request };
}

/** For tests: the Authorization header of one request (RFC 7616), to send it altered or twice. */
export function digestHeader(
  { username, password }: Password,
  { method = "GET", uri, nonce, nc = 1, algorithm = "MD5" }: Parts,
): string {
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  const count = nc.toString(16).padStart(8, "0");
  const cnonce = randomBytes(8).toString("hex");
  const ha1 = md5(`${username}:Hearth:${password}`);
  const response = md5(`${ha1}:${nonce}:${count}:${cnonce}:auth:${md5(`${method}:${uri}`)}`);
  return `Digest username="${username}", realm="Hearth", nonce="${nonce}", uri="${uri}", algorithm=${algorithm}, qop=auth, nc=${count}, cnonce="${cnonce}", response="${response}"`;
}

/** For tests: the challenge of a 401. */
export function challengeOf(headers: Headers): Challenge {
  const text = headers.get("www-authenticate") ?? "";
  const nonce = /^Digest realm="Hearth", qop="auth", algorithm=MD5, nonce="([\w.-]{80,140})"(, stale=true)?$/.exec(
    text,
  );
  if (nonce?.[1] === undefined) throw new Error(`Another challenge was expected: ${text}`);
  return { nonce: nonce[1], stale: nonce[2] !== undefined };
}
