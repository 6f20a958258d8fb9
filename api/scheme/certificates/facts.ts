import { dateOf, isoTime } from "../../platform/chain/index.ts";
import type { Period } from "../registry/index.ts";

/** The permanent facts of a certificate, from its event on chain. Serials and amounts are decimal text, for JSON. */
export type CertificateFacts = {
  activityId: string;
  vintage: number;
  period: Period;
  /** Micro-CARBON. */
  verifiedReduction: string;
  registry: string;
  firstSerial: string;
  lastSerial: string;
  credentialHash: string;
  credentialIssuedAt: string;
  /** Number of leaves, 0 for a certificate that serves one household. */
  allocationCount: number;
};

/** `Registration` of contracts/certificates/ICertificates.sol. */
export type Registration = {
  certificateId: string;
  activityId: string;
  implementer: number;
  plan: number;
  vintage: number;
  periodStart: number;
  periodEnd: number;
  verifiedReduction: bigint;
  registry: string;
  firstSerial: bigint;
  lastSerial: bigint;
  verifier: `0x${string}`;
  credentialIssuedAt: bigint;
  credentialHash: `0x${string}`;
  allocationCount: number;
  predecessor: number;
};

export function factsOf(registration: Readonly<Registration>): CertificateFacts {
  return {
    activityId: registration.activityId,
    vintage: registration.vintage,
    period: { startDate: dateOf(registration.periodStart), endDate: dateOf(registration.periodEnd) },
    verifiedReduction: String(registration.verifiedReduction),
    registry: registration.registry,
    firstSerial: String(registration.firstSerial),
    lastSerial: String(registration.lastSerial),
    credentialHash: registration.credentialHash,
    credentialIssuedAt: isoTime(registration.credentialIssuedAt),
    allocationCount: registration.allocationCount,
  };
}
