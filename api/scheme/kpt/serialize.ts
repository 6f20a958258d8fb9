import { kptFuels } from "../../../wire/src/kpt-visits.ts";
import { dateOf } from "../../platform/chain/index.ts";
import { jsonScaled } from "../../platform/values/numbers.ts";
import type { KptDeps } from "./parts.ts";
import type { KptClaim } from "./schemas.ts";
import type { FuelAmounts, KptClaimRow } from "./tables.ts";

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
    ...(row.fuels === null ? {} : { fuels: serializeFuels(row.fuels) }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}

/** Serialize the amount of each fuel of a claim with visits, in the order of the list of fuels. */
export function serializeFuels(amounts: FuelAmounts) {
  return kptFuels.flatMap((fuel) => {
    const amount = amounts[fuel];
    if (amount === undefined) return [];
    const unit: "kg" | "kWh" = fuel === "electricity" ? "kWh" : "kg";
    return [{ fuel, total: jsonScaled(BigInt(amount), 3), unit }];
  });
}
