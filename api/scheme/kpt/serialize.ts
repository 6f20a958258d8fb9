import { dateOf } from "../../platform/chain/index.ts";
import type { KptDeps } from "./parts.ts";
import type { KptClaim } from "./schemas.ts";
import type { KptClaimRow } from "./tables.ts";

/** Serialize a claim on chain for the API's response. */
export function serializeClaim({ credentials }: Pick<KptDeps, "credentials">, row: KptClaimRow): KptClaim {
  const { transactionHash, blockNumber, filedAt, claimHash, credentialHash, credential, evidence } = row;
  const isWhole = transactionHash !== null && blockNumber !== null && filedAt !== null && credential !== null;
  if (!isWhole || claimHash === null || credentialHash === null || evidence === null) {
    throw new Error(`Claim ${row.id} is not recorded.`);
  }
  return {
    id: row.id,
    type: "KPTClaim",
    status: row.status === "revoked" ? "revoked" : "verified",
    credential: { type: "KPTCredential", issuer: credentials.issuer, evidence, jwt: credential },
    campaignId: row.campaignId,
    householdId: row.householdDid,
    testGroup: row.group,
    testPeriod: { startDate: dateOf(row.startDay), endDate: dateOf(row.endDay) },
    transactionHash,
    blockNumber,
    claimHash,
    credentialHash,
    filedAt: filedAt.toISOString(),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}
