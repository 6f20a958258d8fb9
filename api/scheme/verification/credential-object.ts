import { isDeepStrictEqual } from "node:util";
import { isLosslessNumber } from "lossless-json";
import { parseDateTime } from "./credential-dates.ts";
import { isObject, type JsonObject } from "./credential-token.ts";

/** Claims of the token that the object form may omit. */
const TOKEN_CLAIMS = ["iss", "sub", "jti", "iat", "nbf", "exp", "proof", "vc"];
const DATES = ["issuanceDate", "expirationDate", "validFrom", "validUntil"];

/**
 * Check that a W3C object has the same members and values as its verified token.
 * Notation may differ: one type or a list with it, an issuer as string or object, dates to the second.
 * @param verified the credential that Veramo returned for the token
 */
export function objectMatchesCredential(object: JsonObject, verified: JsonObject): boolean {
  const flattened = isObject(verified.vc) ? { ...verified.vc, ...verified } : verified;
  return isDeepStrictEqual(normalise(object), normalise(flattened));
}

function normalise(credential: JsonObject): JsonObject {
  const members = Object.entries(credential).filter(([name]) => !TOKEN_CLAIMS.includes(name));
  return Object.fromEntries(members.map(([name, value]) => [name, normaliseMember(name, plain(value))]));
}

function normaliseMember(name: string, value: unknown): unknown {
  if (name === "issuer") return typeof value === "string" ? { id: value } : value;
  if (name === "type" || name === "@context") return Array.isArray(value) ? value : [value];
  if (name === "credentialSubject" && Array.isArray(value) && value.length === 1) return value[0];
  if (!DATES.includes(name)) return value;
  const at = parseDateTime(value);
  return at ? Math.floor(at.getTime() / 1000) : value;
}

function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.toString());
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
