import type { Hex } from "viem";
import { kptClaimIdOf } from "../../../wire/src/ids.ts";
import { dateOf } from "../../platform/chain/index.ts";
import { brokenRuleError, defineRules } from "../../platform/errors.ts";
import { jsonScaled } from "../../platform/values/numbers.ts";
import { removeClaimFiles, storeClaimFiles } from "./evidence.ts";
import { removeFieldFacts } from "./field/store.ts";
import type { RecordedAt } from "./filing-store.ts";
import type { KptParts } from "./parts.ts";
import { serializeFuels } from "./serialize.ts";
import type { KptClaimRow } from "./tables.ts";

const broken = defineRules({
  "claim-took-too-long": ["claim-given-up", "The claim took too long and was abandoned; send it again."],
});

/**
 * Store a claim's files and sign its credential. Repeating it for the same row gives the same result.
 * @param claim canonical JSON of the claim
 * @throws AppError CONFLICT if the claim was abandoned meanwhile
 */
export async function signClaim(kpt: KptParts, row: KptClaimRow, claim: string): Promise<KptClaimRow> {
  const { deps, store } = kpt;
  const { id, campaignId } = row;
  const { claimHash, evidence } = await storeClaimFiles(deps, { campaignId, claimId: id, claim });
  await kpt.step?.("stored");
  const issued = await deps.credentials.issue({
    type: "KPTCredential",
    id: `urn:hearth:kpt:${id}`,
    subject: subjectOf(row, claimHash),
    evidence,
    issuedAt: row.createdAt,
    statusOf: id,
  });
  await kpt.step?.("issued");
  const signed = { claimHash, evidence, credential: issued.jwt, credentialHash: issued.hash };
  if (await store.sign(id, signed)) return { ...row, ...signed };
  await removeClaimFiles(deps, { campaignId, claimId: id });
  throw brokenRuleError("CONFLICT", broken("claim-took-too-long", undefined));
}

/** The measurement without its daily logs, which stay in the encrypted file that `claimHash` names. */
function subjectOf(row: KptClaimRow, claimHash: string): Record<string, unknown> {
  return {
    id: row.householdDid,
    claimId: row.id,
    campaignId: row.campaignId,
    testGroup: row.group,
    testPeriod: { startDate: dateOf(row.startDay), endDate: dateOf(row.endDay) },
    fuelMeasurements: { total: jsonScaled(row.totalGrams, 3), dailyLogs: row.logs, unit: "kg" },
    ...(row.fuels === null ? {} : { fuels: serializeFuels(row.fuels, row.weighed) }),
    ...(row.weighed === null ? {} : { fuelMass: "dry" }),
    claimHash,
  };
}

/**
 * Record a signed claim on chain, in one transaction with other waiting claims.
 * @throws AppError the error that the contract's revert maps to; the claim is then refused and its days are released
 * @throws PendingTransactionError if the block is not mined within TX_WAIT_MS
 */
export async function recordClaim(kpt: KptParts, row: KptClaimRow): Promise<KptClaimRow> {
  const claim = onChain(row);
  const hashes = { claimHash: row.claimHash as Hex, credentialHash: row.credentialHash as Hex };
  const outcome = await kpt.collector.submit({ claim, ...hashes });
  if ("refusal" in outcome) {
    await kpt.store.refuse(row.id, outcome.refusal.details[0]?.rule ?? "refused");
    await clean(kpt, row);
    throw outcome.refusal;
  }
  await kpt.step?.("recorded");
  const at = "recorded" in outcome ? outcome.recorded : await recordedAt(kpt, row);
  if (at === null) throw new Error(`The chain refuses ${row.id} as recorded, and has no record of it.`);
  return await noteRecorded(kpt, row, at);
}

/** Find a claim's position on the chain; null if it is not there. */
export async function recordedAt({ deps }: KptParts, row: KptClaimRow): Promise<RecordedAt | null> {
  const claim = onChain(row);
  const [event] = await deps.chain.past("campaigns", "KptClaimRecorded", { claim });
  if (event === undefined) return null;
  if (event.args.claimHash !== row.claimHash) throw new Error(`The chain has another claim as ${row.id}.`);
  const { timestamp } = await deps.chain.client.getBlock({ blockNumber: event.blockNumber });
  const { transactionHash, blockNumber } = event;
  return { transactionHash, blockNumber: Number(blockNumber), filedAt: new Date(Number(timestamp) * 1000) };
}

export async function noteRecorded({ store }: KptParts, row: KptClaimRow, at: RecordedAt): Promise<KptClaimRow> {
  await store.verify(row.id, at);
  return { ...row, ...at, status: "verified" };
}

/** After a revocation on chain, revoke the credential and release the days. May be repeated. */
export async function noteRevoked({ deps, store }: KptParts, row: KptClaimRow, reason: string): Promise<KptClaimRow> {
  await deps.credentials.revoke(row.credentialHash as Hex, reason);
  await store.revoke(row.id, reason);
  return { ...row, status: "revoked", reason };
}

/** Remove the files and credential of a refused claim. May be repeated. */
export async function clean({ deps, store }: KptParts, row: KptClaimRow): Promise<void> {
  const { id, campaignId, credentialHash } = row;
  await removeClaimFiles(deps, { campaignId, claimId: id });
  await removeFieldFacts(deps.db, id);
  if (credentialHash !== null) await deps.credentials.revoke(credentialHash as Hex, "refused");
  await store.voided(id);
}

/** Return the claim's number in the contract. */
export function onChain({ campaign, group, position, number }: KptClaimRow): bigint {
  return kptClaimIdOf({ campaign, group, position, number });
}
