import { createStatusChecker, type ProveList } from "../../api/scheme/verification/status-list.ts";
import type { ProvenCredential } from "./check-credential.ts";
import { readSigned } from "./check-credential.ts";

type Json = Record<string, unknown>;

/**
 * Check the credential with a stored status list (the text of `GET /v1/status-lists/:list`).
 * Returns why it is not valid, or the start of the list's validity.
 */
export async function checkStatus(credential: ProvenCredential, list: string) {
  const { issuer, key, payload } = credential;
  const entry = ((payload.vc ?? {}) as Json).credentialStatus as Json | undefined;
  if (entry === undefined) return { fault: "The credential names no status list." };
  let since: Date | undefined;
  const prove: ProveList = async (input) => {
    const signed = await readSigned(String(input), new Map([[kidOf(String(input)), key]]));
    if (typeof signed === "string") throw new Error("it is not signed by the credential's key");
    const vc = (signed.payload.vc ?? {}) as Json;
    since = new Date(Number(signed.payload.nbf) * 1000);
    return {
      issuerDid: String(signed.payload.iss),
      types: (vc.type ?? []) as string[],
      subject: vc.credentialSubject as Json,
      id: signed.payload.jti,
      validUntil: null,
    };
  };
  // The list is given, so nothing is fetched.
  const check = createStatusChecker(prove, { allowLoopback: false }, async () => list.trim());
  const fault = await check(entry, issuer, new Date());
  return fault === undefined ? { since: since as Date } : { fault: `${fault.message}.` };
}

function kidOf(jwt: string): string {
  try {
    return JSON.parse(Buffer.from(jwt.split(".", 1)[0] ?? "", "base64url").toString()).kid ?? "";
  } catch {
    return "";
  }
}
