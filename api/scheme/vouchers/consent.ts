import type { Hex } from "viem";
import { type ConsentLevel, consentLevels } from "../../../indexer/schema/consent-words.ts";
import { AppError } from "../../platform/errors.ts";
import type { Consent, RedeemRequest } from "./schemas.ts";

/** A household's consent to one order, in the ledger's format. */
export type LedgerConsent = {
  /** The ledger's number of the consent level. */
  consent: number;
  signature: Hex;
  nonce: bigint;
  deadline: bigint;
  proof: readonly Hex[];
};

const numberOf = (level: ConsentLevel) => consentLevels.indexOf(level);
const PIN: LedgerConsent = { consent: numberOf("pin"), signature: "0x", nonce: 0n, deadline: 0n, proof: [] };

/** Whether a consent uses a nonce, which is valid once. */
export const hasNonce = ({ consent }: LedgerConsent): boolean => consent !== PIN.consent;

/** Read the consent of a request from either of its two fields. @throws AppError INVALID_INPUT when both are present */
export function consentIn(input: Pick<RedeemRequest, "consent" | "householdAuthorization">): LedgerConsent | undefined {
  const { consent, householdAuthorization } = input;
  if (consent !== undefined && householdAuthorization !== undefined) {
    const message = "A redemption has one consent: give consent or householdAuthorization.";
    throw new AppError("INVALID_INPUT", message, { details: [{ path: "consent", rule: "one-consent", message }] });
  }
  const given: Consent | undefined =
    consent ?? (householdAuthorization && { type: "signature", ...householdAuthorization });
  if (given === undefined) return undefined;
  if (given.type === "pin") return PIN;
  const { type, signature, nonce, deadline } = given;
  const proof = given.type === "code" ? given.proof : [];
  return { consent: numberOf(type), signature, nonce, deadline: BigInt(deadline), proof };
}
