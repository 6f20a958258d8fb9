import { isLosslessNumber, parse } from "lossless-json";

/** The longest compact token that is accepted, in bytes. */
export const MAX_TOKEN_BYTES = 64 * 1024;
export const ALLOWED_ALGORITHMS = ["EdDSA", "ES256K", "ES256"] as const;
const MAX_DEPTH = 32;
const ENVELOPE = /^data:application\/(?:vc\+jwt|vc\+ld\+json\+jwt|vc-ld\+jwt|jwt),(.*)$/s;
const MEDIA_TYPES = /^(?:vc\+jwt|vc\+ld\+json\+jwt|vc-ld\+jwt|jwt|application\/vc\+jwt)$/i;

export type JsonObject = Record<string, unknown>;

/** The order of each curve's group: the signatures (r, s) and (r, order − s) are both valid. */
const orders: Record<string, bigint> = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES256K: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
};

/** A decoded token, not verified. `payload` keeps numbers as lossless-json's LosslessNumber. */
export type DecodedToken = { jwt: string; header: JsonObject; payload: JsonObject };

/** A presented credential: its compact token, and the parts of its form that must agree with the token. */
export type PresentedCredential = { jwt: string; wrapperTypes?: string[]; object?: JsonObject };

/** The form or token cannot be read as one credential; `rule` is the broken rule's name. */
export class TokenError extends Error {
  readonly rule: "proof-verifies" | "token-size";
  constructor(message: string, rule: "proof-verifies" | "token-size" = "proof-verifies") {
    super(message);
    this.rule = rule;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Convert one string or an array of strings to an array; undefined for anything else. */
export function stringsOf(value: unknown): string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  return list.every((item) => typeof item === "string") ? (list as string[]) : undefined;
}

/**
 * Extract the compact token from any accepted form: `{type, proof: "<jwt>"}`, a W3C object with `proof.type`
 * JwtProof2020, an EnvelopedVerifiableCredential, or the compact token.
 * @throws TokenError for every other form
 */
export function presentCredential(input: unknown): PresentedCredential {
  if (typeof input === "string") return { jwt: input };
  if (!isObject(input)) throw new TokenError("The credential is neither a token nor an object");
  const types = stringsOf(input.type);
  if (!types) throw new TokenError("The credential's type is neither a string nor a list of strings");
  if (types.includes("EnvelopedVerifiableCredential")) return { jwt: openEnvelope(input.id) };
  if (typeof input.proof === "string") return { jwt: input.proof, wrapperTypes: types };
  if (!isObject(input.proof)) throw new TokenError("The credential carries no proof, or more than one");
  if (input.proof.type !== "JwtProof2020") throw new TokenError("The only embedded proof that is read is JwtProof2020");
  if (typeof input.proof.jwt !== "string") throw new TokenError("The proof carries no jwt");
  return { jwt: input.proof.jwt, wrapperTypes: types, object: input };
}

function openEnvelope(id: unknown): string {
  const jwt = typeof id === "string" ? ENVELOPE.exec(id.slice(0, MAX_TOKEN_BYTES + 64))?.[1] : undefined;
  if (!jwt) throw new TokenError("The envelope's id is not a data URL of a VC-JWT");
  return jwt;
}

/**
 * Decode a compact token.
 * @throws TokenError for tokens that must not reach the signature check: too long, not canonical base64url, duplicate
 * members, unsupported algorithm, critical or nested headers
 */
export function decodeToken(jwt: string): DecodedToken {
  if (jwt.length > MAX_TOKEN_BYTES) throw new TokenError("The token is larger than 64 KiB", "token-size");
  const parts = jwt.split(".");
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !header || !payload) throw new TokenError("The proof is not a compact JWT");
  const decoded = { jwt, header: decodeJson(header, "header"), payload: decodeJson(payload, "payload") };
  checkHeader(decoded.header);
  if (!signature) throw new TokenError("The token is not signed");
  decodeBase64url(signature, "signature");
  return decoded;
}

function checkHeader(header: JsonObject): void {
  if (!ALLOWED_ALGORITHMS.some((algorithm) => algorithm === header.alg)) {
    throw new TokenError(`The token's algorithm must be one of ${ALLOWED_ALGORITHMS.join(", ")}`);
  }
  if (header.crit !== undefined || header.b64 !== undefined) {
    throw new TokenError("The token's header names critical extensions, which are not supported");
  }
  // With cty JWT, did-jwt reads a nested token and accepts its signature for the outer one.
  if (header.cty !== undefined && header.cty !== "vc") throw new TokenError("The token's content type must be vc");
  if (header.typ !== undefined && !(typeof header.typ === "string" && MEDIA_TYPES.test(header.typ))) {
    throw new TokenError("The token's type is not that of a credential");
  }
}

function decodeJson(part: string, name: string): JsonObject {
  const bytes = decodeBase64url(part, name);
  try {
    const value = parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    checkShape(value, 0);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new TokenError(`The token's ${name} is not usable JSON: ${(cause as Error).message}`);
  }
  throw new TokenError(`The token's ${name} is not a JSON object`);
}

/** Refuse members named __proto__, which parsers read differently, and deep nesting, which could exhaust the stack. */
function checkShape(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new Error("it is nested too deeply");
  if (Array.isArray(value)) {
    for (const item of value) checkShape(item, depth + 1);
  } else if (isObject(value)) {
    if (Object.hasOwn(value, "__proto__")) throw new Error("a member is named __proto__");
    for (const item of Object.values(value)) checkShape(item, depth + 1);
  }
}

function decodeBase64url(part: string, name: string): Buffer {
  const bytes = Buffer.from(part, "base64url");
  // A credential must have one encoding, or its hash could be varied without breaking the signature.
  if (bytes.toString("base64url") !== part) throw new TokenError(`The token's ${name} is not canonical base64url`);
  return bytes;
}

/**
 * Compute the token with the other valid signature of the same content, (r, order − s) for (r, s). ECDSA accepts both,
 * and the second needs no key. Undefined for EdDSA, which accepts one.
 */
export function twinOf({ jwt, header }: DecodedToken): string | undefined {
  const order = orders[String(header.alg)];
  const end = jwt.lastIndexOf(".") + 1;
  const signature = Buffer.from(jwt.slice(end), "base64url");
  if (order === undefined || signature.length < 64) return undefined;
  const s = BigInt(`0x${signature.subarray(32, 64).toString("hex")}`);
  if (s >= order) return undefined;
  const twin = Buffer.from((order - s).toString(16).padStart(64, "0"), "hex");
  return jwt.slice(0, end) + Buffer.concat([signature.subarray(0, 32), twin]).toString("base64url");
}
