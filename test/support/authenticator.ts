import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";

type Options = { challenge: string; rpId?: string; rp?: { id?: string } };
/** What a page's origin and the authenticator do otherwise than they should. */
type Faults = { origin?: string; rpId?: string; counter?: number; isVerified?: boolean };

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();

/** An authenticator in software, for tests of the API: one ES256 passkey that verifies its user and counts its signatures. */
export class SoftwareAuthenticator {
  readonly id = base64url(randomBytes(32));
  counter = 0;
  readonly #pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Answer `navigator.credentials.create`. */
  register(options: Options, faults: Faults = {}) {
    const { x = "", y = "" } = this.#pair.publicKey.export({ format: "jwk" });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, "base64url"))],
      [-3, new Uint8Array(Buffer.from(y, "base64url"))],
    ]);
    const id = Buffer.from(this.id, "base64url");
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(key)]);
    const authData = this.#authData(options, faults, attested);
    const attestationObject = isoCBOR.encode(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", new Uint8Array(authData)],
      ]) as never,
    );
    const clientDataJSON = this.#clientData("webauthn.create", options, faults);
    return this.#answer({ clientDataJSON, attestationObject: base64url(attestationObject), transports: ["internal"] });
  }

  /** Answer `navigator.credentials.get`. */
  signIn(options: Options, faults: Faults = {}) {
    this.counter += 1;
    const authenticatorData = this.#authData(options, faults);
    const clientDataJSON = this.#clientData("webauthn.get", options, faults);
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, "base64url"))]);
    const signature = createSign("sha256").update(signed).sign(this.#pair.privateKey);
    return this.#answer({
      clientDataJSON,
      authenticatorData: base64url(authenticatorData),
      signature: base64url(signature),
    });
  }

  #answer<Response>(response: Response) {
    return { id: this.id, rawId: this.id, type: "public-key" as const, clientExtensionResults: {}, response };
  }

  #clientData(type: string, { challenge }: Options, { origin = this.#origin }: Faults): string {
    return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #authData({ rpId, rp }: Options, faults: Faults, attested?: Uint8Array): Buffer {
    const { isVerified = true, counter: count = this.counter } = faults;
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested === undefined ? 0 : 0x40);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(count);
    const id = faults.rpId ?? rpId ?? rp?.id ?? "";
    return Buffer.concat([sha256(id), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)]);
  }
}
