import type { Site } from "./operators.ts";

const vouchers = [
  "vouchers/issue.ts",
  "vouchers/redeem.ts",
  "vouchers/redeem-many.ts",
  "vouchers/known-verdicts.ts",
  "vouchers/care.ts",
  "vouchers/redemptions.ts",
  "vouchers/consent.ts",
];
const certificates = ["certificates/certificates.ts", "certificates/issue-accounting.ts", "certificates/revocation.ts"];
const revocation = ["certificates/revocation.ts"];
const lots = ["certificates/lots.ts"];
const pool = ["pool/pool.ts", "pool/buying.ts"];
const claims = ["claims/claims.ts", "claims/review.ts"];
const itmo = ["itmo/conversions.ts", "itmo/life.ts", "itmo/registry.ts"];
const reductions = ["itmo/authorizations.ts"];
const buffer = ["itmo/buffer.ts"];
const oracles = ["oracles/registry.ts", "oracles/payments.ts"];
const campaigns = ["campaigns/draw.ts", "campaigns/claims.ts", "campaigns/result.ts"];
const governance = ["governance/timelock.ts", "governance/powers.ts"];
const participants = [
  "participants/participants.ts",
  "participants/accounts.ts",
  "participants/issuers.ts",
  "participants/redemption-parties.ts",
];

/**
 * Tests below test/contracts/ that must notice a change in a contract, by the start of its path: the longest match counts. A
 * library's are those of the contracts that use it.
 */
const testsByPath: Record<string, string[]> = {
  audits: ["audits/audits.ts"],
  campaigns,
  carbon: ["carbon/carbon.ts"],
  certificates: [...certificates, "vouchers/issue.ts"],
  "certificates/CarbonLots": [...lots, ...revocation],
  "certificates/ImplementerDebts": revocation,
  claims: [...claims, ...revocation],
  "governance/CouncilTimelock": governance,
  "governance/Directory": ["governance/directory.ts"],
  itmo: [...itmo, ...revocation, ...lots, ...reductions, ...buffer],
  "itmo/Authorizations": [...reductions, ...itmo],
  "itmo/InvalidationBuffer": buffer,
  oracles,
  parameters: ["parameters/parameters.ts"],
  participants: [...participants, ...governance],
  pool: [...pool, ...revocation],
  "shared/AllocationTree": [...certificates, "vouchers/issue.ts"],
  "shared/BlockHashes": ["campaigns/draw.ts", "claims/review.ts"],
  "shared/Calendar": itmo,
  "shared/DayBucket": ["vouchers/consent.ts", "vouchers/care.ts"],
  "shared/Flows": [...pool, ...claims, ...itmo],
  "shared/Members": [...claims, ...vouchers],
  "shared/Permits": [...pool, ...itmo, ...oracles],
  "shared/RegistryNames": ["certificates/certificates.ts"],
  "shared/SerialRanges": [...certificates, ...itmo],
  "shared/Stoppages": ["vouchers/redemptions.ts", ...claims],
  vouchers: [...vouchers, ...revocation],
};

export function testsOf(file: string): string[] {
  const path = file.replace(/^contracts\//, "");
  const [best] = Object.keys(testsByPath)
    .filter((beginning) => path.startsWith(beginning))
    .sort((a, b) => b.length - a.length);
  return best === undefined ? [] : (testsByPath[best] ?? []);
}

/** Least number of tried changes of a contract, and the share of a large one. */
const LEAST = 6;
const SHARE = 1 / 12;

/** The changes that are tried: of each contract those with the smallest hashes, so that edits elsewhere change none. */
export function sampleOf(sites: readonly Site[]): Site[] {
  return [...Map.groupBy(sites, ({ file }) => file).values()].flatMap((all) => {
    const count = Math.max(LEAST, Math.ceil(all.length * SHARE));
    const chosen = [...all].sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, count);
    return chosen.sort((a, b) => a.start - b.start || (a.key < b.key ? -1 : 1));
  });
}
