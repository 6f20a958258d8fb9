import { stringify } from "lossless-json";
import { isObject, type JsonObject, stringsOf, TokenError } from "./credential-token.ts";

/** Members that a VC-JWT may state twice: inside `vc` and outside it. */
const MEMBERS = ["type", "issuer", "id", "credentialSubject", "credentialStatus", "@context"] as const;
/** Each may cost a request to an external address. */
const MAX_STATUSES = 4;

/** The credential that a token's claims state. Numbers stay LosslessNumber. */
export type CredentialView = {
  id: unknown;
  issuerDid: string;
  types: string[];
  subject: JsonObject;
  statuses: JsonObject[];
};

/**
 * Read a VCDM 1.1 (`vc` claim) or 2.0 (claims are the credential) payload as one credential.
 * @throws TokenError for contradictory statements, for presentations, and when issuer, type or subject is missing
 */
export function viewCredential(payload: JsonObject): CredentialView {
  const inner = isObject(payload.vc) ? payload.vc : undefined;
  if (payload.vc !== undefined && !inner) throw new TokenError("The token's vc claim is not an object");
  const views = inner ? [inner, payload] : [payload];
  refuseNesting(views);
  const members = Object.fromEntries(MEMBERS.map((name) => [name, agreedMember(name, views)]));
  const types = stringsOf(members.type);
  if (!types?.includes("VerifiableCredential")) throw new TokenError("The token holds no VerifiableCredential");
  if (types.includes("VerifiablePresentation")) throw new TokenError("Presentations are not accepted");
  if (payload.jti !== undefined && members.id !== undefined && payload.jti !== members.id) {
    throw new TokenError("The token's jti and the credential's id differ");
  }
  return {
    id: members.id ?? payload.jti,
    issuerDid: agreedIssuer(payload.iss, views),
    types,
    subject: readSubject(members.credentialSubject, payload.sub, views),
    statuses: readStatuses(members.credentialStatus),
  };
}

function refuseNesting(views: JsonObject[]): void {
  for (const view of views) {
    if (view.vp !== undefined || view.verifiableCredential !== undefined) {
      throw new TokenError("Presentations and credentials inside a credential are not accepted");
    }
  }
}

function agreedMember(name: string, views: JsonObject[]): unknown {
  const stated = views.map((view) => view[name]).filter((value) => value !== undefined);
  if (stated.length < 2) return stated[0];
  // `sub` may replace the subject's id in one of the two, so the id is not compared here.
  const spelled = stated.map((value) => stringify(name === "credentialSubject" ? withoutId(value) : value));
  if (new Set(spelled).size > 1) throw new TokenError(`The token states two different values of ${name}`);
  return stated[0];
}

function withoutId(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { id: _, ...rest } = value;
  return rest;
}

/** Find the issuer: `iss` signs, and every other issuer in the token must be the same DID. */
function agreedIssuer(iss: unknown, views: JsonObject[]): string {
  const stated = views.flatMap(({ issuer }) => (issuer === undefined ? [] : [isObject(issuer) ? issuer.id : issuer]));
  const named = new Set(iss === undefined ? stated : [iss, ...stated.filter((id) => id !== undefined)]);
  const [issuer] = named;
  if (named.size > 1) throw new TokenError("The token names two different issuers");
  if (typeof issuer !== "string" || !/^did:[a-z0-9]+:[^\s/?#;]+$/.test(issuer) || issuer.length > 256) {
    throw new TokenError("The issuer is not a DID");
  }
  return issuer;
}

function readSubject(value: unknown, sub: unknown, views: JsonObject[]): JsonObject {
  const subject = onlySubject(value);
  if (!subject || Object.keys(subject).length === 0)
    throw new TokenError("The credential must have exactly one subject");
  const ids = new Set([sub, ...views.map((view) => onlySubject(view.credentialSubject)?.id)]);
  ids.delete(undefined);
  const [id] = ids;
  if (ids.size > 1) throw new TokenError("The token's sub and the subject's id differ");
  return id === undefined ? subject : { ...subject, id };
}

function onlySubject(value: unknown): JsonObject | undefined {
  const subject = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(subject) ? subject : undefined;
}

function readStatuses(value: unknown): JsonObject[] {
  if (value === undefined) return [];
  const entries = Array.isArray(value) ? value : [value];
  if (entries.length > MAX_STATUSES) throw new TokenError("The credential has too many statuses");
  if (!entries.every(isObject)) throw new TokenError("The credential's status is not an object or a list of objects");
  return entries;
}
