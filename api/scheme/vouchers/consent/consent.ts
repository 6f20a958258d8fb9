import { type Hex, numberToHex } from "viem";
import { type ConsentLevel, consentLevels } from "../../../../indexer/schema/consent-words.ts";
import type { Chain } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { HouseholdCodes } from "../../codes/index.ts";
import type { Consent, RedeemRequest } from "../schemas.ts";
import type { VoucherFacts } from "../voucher-ledger.ts";

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
/** A code's nonce is the address of its key. */
const ADDRESS_BITS = 160n;
const PIN: LedgerConsent = { consent: numberOf("pin"), signature: "0x", nonce: 0n, deadline: 0n, proof: [] };

/** Whether a consent uses a nonce, which is valid once. */
export const hasNonce = ({ consent }: LedgerConsent): boolean => consent !== PIN.consent;

/** Whether a consent is a one-time code. */
export const isCode = ({ consent }: LedgerConsent): boolean => consent === numberOf("code");

type Given = Pick<RedeemRequest, "consent" | "householdAuthorization">;

/**
 * Read the consent of a request, and add the proof of a code that this service made.
 * @throws AppError INVALID_INPUT when it has two consents
 */
export async function consentOf(
  { chain, codes }: { chain: Chain; codes: HouseholdCodes },
  facts: VoucherFacts,
  input: Given,
): Promise<LedgerConsent | undefined> {
  const given = consentIn(input);
  if (given === undefined || input.consent?.type !== "code" || input.consent.proof !== undefined) return given;
  if (given.nonce >> ADDRESS_BITS !== 0n) return given;
  const root = await chain.read("vouchers", "codeRootOf", [facts.id]);
  const key = numberToHex(given.nonce, { size: 20 });
  // Without a proof the ledger refuses the code, together with every other broken rule.
  return { ...given, proof: (await codes.proofOf(root, facts.household, key)) ?? [] };
}

/** Read the consent of a request from either of its two fields. @throws AppError INVALID_INPUT when both are present */
function consentIn(input: Given): LedgerConsent | undefined {
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
  const proof = given.type === "code" ? (given.proof ?? []) : [];
  return { consent: numberOf(type), signature, nonce, deadline: BigInt(deadline), proof };
}
