import { kptFuels } from "../../../wire/src/kpt-visits.ts";
import { dateOf } from "../../platform/chain/index.ts";
import { jsonScaled } from "../../platform/values/numbers.ts";
import { decimal, jsonExact } from "../emissions/index.ts";
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
    ...(row.fuels === null ? {} : { fuels: serializeFuels(row.fuels, row.weighed) }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}

/**
 * Serialize the amount of each fuel of a claim with visits, in the order of the list of fuels.
 * @param weighed of a claim that counts dry mass: solid biomass as weighed
 */
export function serializeFuels(amounts: FuelAmounts, weighed: FuelAmounts | null = null) {
  return kptFuels.flatMap((fuel) => {
    const amount = amounts[fuel];
    if (amount === undefined) return [];
    const unit: "kg" | "kWh" = fuel === "electricity" ? "kWh" : "kg";
    const serialized = { fuel, total: jsonScaled(BigInt(amount), 3), unit };
    const wet = weighed?.[fuel];
    return [wet === undefined ? serialized : { ...serialized, ...serializeMoisture(BigInt(amount), BigInt(wet)) }];
  });
}

/** The mass as weighed, and the share of water in it: 1 − dry ÷ weighed, rounded at 4 decimals. */
function serializeMoisture(dry: bigint, wet: bigint) {
  const weighed = jsonScaled(wet, 3);
  if (wet <= 0n) return { weighed };
  const share = decimal(wet - dry).div(decimal(wet));
  return { weighed, moisture: jsonExact(share.toDecimalPlaces(4)) };
}
