import { randomUUID } from "node:crypto";
import { calculateJwkThumbprintUri, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { PrivateKeyAccount } from "viem";
import { createSiweMessage, type SiweMessage } from "viem/siwe";
import type { App } from "../../api/platform/http/context.ts";
import { accessTokenHash } from "../../api/platform/keys/dpop.ts";
import type { CreatedSession } from "../../api/platform/sessions/schemas.ts";

export type Answer = {
  status: number;
  body: Record<string, unknown> & { details?: { path?: string; rule: string }[] };
};
export type ProofKey = { privateKey: CryptoKey; publicJwk: JWK };
type Changes = Partial<SiweMessage> & { body?: Record<string, unknown>; text?: (message: string) => string };

type Options = { now: () => Date; proofKey: ProofKey /** A new one when absent. */; address?: string };

let clients = 0;

/** For tests: a person with a wallet, a proof key and an address, at one process of an API behind a proxy. */
export class WalletClient {
  token = "";
  readonly #address: string;
  readonly #app: App;
  readonly #account: PrivateKeyAccount;
  readonly #now: () => Date;
  readonly #proofKey: ProofKey;

  constructor(app: App, account: PrivateKeyAccount, options: Options) {
    this.#app = app;
    this.#address = options.address ?? `10.0.0.${++clients}`;
    this.#account = account;
    this.#now = options.now;
    this.#proofKey = options.proofKey;
  }

  /** The same person at another process. */
  at(app: App): WalletClient {
    const other = new WalletClient(app, this.#account, { now: this.#now, proofKey: this.#proofKey });
    other.token = this.token;
    return other;
  }

  async nonce(): Promise<{ nonce: string; domain: string; uri: string; chainId: number }> {
    return (await this.#send("POST", "/sessions/nonces", {}, {})).body as never;
  }

  /** What is sent to sign in; `changes` are to the message, and to the body. */
  async request({ body = {}, text = (same) => same, ...changes }: Changes = {}): Promise<Record<string, unknown>> {
    const { nonce, domain, uri, chainId } = await this.nonce();
    const { publicJwk } = this.#proofKey;
    const message = text(
      createSiweMessage({
        address: this.#account.address,
        nonce,
        domain,
        uri,
        chainId,
        version: "1",
        issuedAt: this.#now(),
        resources: [await calculateJwkThumbprintUri(publicJwk)],
        ...changes,
      }),
    );
    return { message, signature: await this.#account.signMessage({ message }), publicJwk, ...body };
  }

  post(body: Record<string, unknown>): Promise<Answer> {
    return this.#send("POST", "/sessions", {}, body);
  }

  /** Sign in, and use the session from now on. */
  async signIn(changes: Changes = {}): Promise<CreatedSession> {
    const { status, body } = await this.post(await this.request(changes));
    if (status !== 201) throw new Error(JSON.stringify(body));
    this.token = String(body.token);
    return body as unknown as CreatedSession;
  }

  /** A request of the session, with its proof. */
  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#send(method, path, await this.prove(method, path), body);
  }

  /** The headers of one request: the token, and a proof that is taken once. */
  async prove(method: string, path: string): Promise<{ authorization: string; dpop: string }> {
    const { privateKey, publicJwk } = this.#proofKey;
    const iat = Math.floor(this.#now().getTime() / 1000);
    const htu = `http://127.0.0.1:3000/v1${path}`;
    const proof = new SignJWT({ htm: method, htu, iat, jti: randomUUID(), ath: accessTokenHash(this.token) });
    const dpop = await proof.setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: publicJwk }).sign(privateKey);
    return { authorization: `DPoP ${this.token}`, dpop };
  }

  async #send(method: string, path: string, own: Record<string, string>, body: unknown): Promise<Answer> {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { "x-forwarded-for": this.#address, ...own };
    const answer = await this.#app.request(`http://127.0.0.1:3000/v1${path}`, { method, headers, ...payload });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
  }
}

export async function newProofKey(): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { privateKey, publicJwk: await exportJWK(publicKey) };
}
