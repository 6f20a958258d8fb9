import { isDeepStrictEqual } from "node:util";
import { issuerPath, receiptPath, receiptSubject } from "../../api/scheme/campaigns/dataroom/manifest.ts";
import { readSigned } from "../proof/check-credential.ts";
import { assertionKeys, didDocument, type Ed25519Key, type ReadDidDocument } from "../proof/issuer-keys.ts";
import { type OpenedRoom, textOf } from "./open-room.ts";
import { type Step, step } from "./step.ts";

/** What the reader knows of the issuer from elsewhere. */
export type KnownIssuer = { didDocument?: ReadDidDocument | undefined; issuerKey?: Ed25519Key | undefined };
export type CheckedReceipt = {
  step: Step;
  /** Keys of the issuer by their ids, as the data room states them. */
  keys: Map<string, Ed25519Key>;
};

/**
 * Check that the manifest is signed by a key of the issuer's DID document, and that the reader knows this key. A note says it where the
 * reader knows none: anyone can make a key and sign with it.
 */
export async function checkReceipt(room: OpenedRoom, known: KnownIssuer): Promise<CheckedReceipt> {
  const title = "Signature of the manifest";
  const document = didDocument.safeParse(parsed(textOf(room, issuerPath)));
  if (!document.success) {
    return { step: step(title, [`${issuerPath} is not a DID document.`]), keys: new Map() };
  }
  const keys = assertionKeys(document.data);
  const signed = await readSigned(textOf(room, receiptPath), keys);
  if (typeof signed === "string") return { step: step(title, [signed]), keys };
  const faults: string[] = [];
  const { key, payload } = signed;
  const { credentialSubject: subject, type } = (payload.vc ?? {}) as Record<string, unknown>;
  if (payload.iss !== document.data.id) {
    faults.push(`The receipt is by ${payload.iss}, the DID document is ${document.data.id}'s.`);
  }
  if (!isDeepStrictEqual(type, ["VerifiableCredential", "DataRoomReceipt"])) {
    faults.push("The receipt is not a DataRoomReceipt.");
  }
  if (!isDeepStrictEqual(subject, receiptSubject(room.manifest, room.hash))) {
    faults.push("The receipt is of another manifest.");
  }
  if (known.issuerKey !== undefined && known.issuerKey !== key) {
    faults.push("The receipt was signed by another key than the one you know.");
  }
  if (known.didDocument !== undefined) {
    const isKnown =
      known.didDocument.id === payload.iss && [...assertionKeys(known.didDocument).values()].includes(key);
    if (!isKnown)
      faults.push(`The DID document that you know, ${known.didDocument.id}, does not have the key that signed.`);
  }
  const checked = step(`${title} by ${payload.iss}`, faults);
  if (knowsIssuer(known)) return { step: checked, keys };
  const note = "It is signed by a key that you do not know: anyone can write another data room and sign it so.";
  return { step: { ...checked, notes: [note] }, keys };
}

/** Whether the reader knows a key of the issuer from elsewhere. */
export function knowsIssuer({ didDocument, issuerKey }: KnownIssuer): boolean {
  return didDocument !== undefined || issuerKey !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
