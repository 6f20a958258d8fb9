import { isLosslessNumber } from "lossless-json";
import { keccak256, maxUint64, stringToHex, zeroHash } from "viem";
import { registrySpelling } from "../../../indexer/schema/registry-names.ts";
import { dayOf, todayOf } from "../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { formatScaled, maxMicro, parseScaled } from "../../platform/values/numbers.ts";
import { carbonRegistries, carbonRegistryOf, whyRegistryRefused } from "../parameters/index.ts";
import { DEFAULT_PLAN_ID, idHash } from "../registry/index.ts";
import type { Credential } from "../verification/index.ts";
import { packLeaves } from "./allocation-tree.ts";
import type { CertificateDeps, CountedReduction } from "./deps.ts";
import type { Registration } from "./facts.ts";
import { countedBy, householdPeriodProblems } from "./household-periods.ts";
import { openFindingProblems } from "./open-findings.ts";
import type { NewCertificate } from "./schemas.ts";
import { unitProblems } from "./underlying-units.ts";

export const CREDENTIAL_TYPE = "EmissionReductionCredential";
/** Further broken rules are counted, not listed. */
const MAX_DETAILS = 1_000;

type AllocationsToCheck = Pick<NewCertificate, "allocations" | "allocationCount" | "verifiedReduction">;
export type CheckedCertificate = {
  registration: Registration;
  leaves: Uint8Array;
  credential: Credential;
  counted: CountedReduction;
};

/**
 * Check a certificate for every rule and for conflicts with registered ones, so that the chain accepts it.
 * @param campaignHouseholds indexes of the households whose reduction the certificate's campaign measured
 * @throws AppError CONFLICT (id, serials or credential in use) or RULE_VIOLATION, each with everything that is wrong
 */
export async function checkCertificate(
  deps: CertificateDeps,
  input: NewCertificate,
  campaignHouseholds?: ReadonlySet<number>,
): Promise<CheckedCertificate> {
  const broken: RuleDetail[] = [];
  const implementer = await checkImplementer(deps, input, broken);
  const [plan, credential, leaves] = await Promise.all([
    checkPlan(deps, input, implementer, broken),
    checkCredential(deps, input, broken),
    checkAllocations(deps, input, broken),
  ]);
  checkOrder(input, broken);
  const counted = {
    ...countedBy({ ...input, implementer }, leaves, campaignHouseholds),
    plan,
    campaignId: textOf(credential?.subject.campaignId),
  };
  broken.push(...(await householdPeriodProblems(deps, counted, "allocations")));
  broken.push(...(await openFindingProblems(deps, counted)));
  await checkRegistryName(deps, input.underlyingUnits.registry, broken);
  broken.push(...(await unitProblems(deps, input.underlyingUnits, input.verifiedReduction)));
  const taken = await findTaken(deps, input, credential);
  if (taken.length > 0) {
    const message = "The certificate conflicts with one that is registered.";
    throw new AppError("CONFLICT", message, { details: shorten([...taken, ...broken]) });
  }
  refuseBrokenRules(shorten(broken), "The certificate breaks the rules of the scheme; nothing was registered.");
  if (credential === null) throw new Error("A certificate without credential passed its checks.");
  const registration = await registrationOf(deps, input, { implementer, plan, credential });
  return { registration, leaves, credential, counted };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

async function checkImplementer(deps: CertificateDeps, input: NewCertificate, broken: RuleDetail[]): Promise<number> {
  const row = await deps.registry.implementers.byDid(input.implementerDid);
  if (row) return row.implementer;
  const message = `Implementer ${input.implementerDid} is not registered.`;
  broken.push({ path: "implementerDid", rule: "implementer-registered", message });
  return 0;
}

async function checkPlan(
  deps: CertificateDeps,
  input: NewCertificate,
  implementer: number,
  broken: RuleDetail[],
): Promise<number> {
  const { plans } = deps.registry;
  if (input.planId === DEFAULT_PLAN_ID) return 0;
  if (input.planId === undefined) {
    const own = implementer === 0 ? [] : await plans.ofImplementer(implementer, 2);
    return own.length === 1 ? (own[0] ?? 0) : 0;
  }
  const row = await plans.byId(input.planId);
  if (!row) {
    broken.push({
      path: "planId",
      rule: "plan-registered",
      message: `Monitoring plan ${input.planId} is not registered.`,
    });
  } else if (implementer !== 0 && row.implementer !== implementer) {
    broken.push({ path: "planId", rule: "plan-of-implementer", message: "The plan is another implementer's." });
  }
  return row?.plan ?? 0;
}

/** Verify the credential. The contents of a refused credential are checked too, so that every broken rule is named. */
async function checkCredential(
  deps: CertificateDeps,
  input: NewCertificate,
  broken: RuleDetail[],
): Promise<Credential | null> {
  const now = deps.clock.now();
  const verdict = await deps.verifier.verifyCredential(input.verifiableCredential, { type: CREDENTIAL_TYPE, now });
  if (!verdict.verified) broken.push(...verdict.broken);
  const credential = verdict.verified ? verdict.credential : (verdict.stated ?? null);
  if (credential === null) return null;
  broken.push(...subjectMismatches(credential, input), ...periodMismatches(credential, input));
  const issued = secondsOf(credential.issuedAt);
  if (!(await deps.registry.issuers.isTrusted(credential.issuerDid, CREDENTIAL_TYPE, issued))) {
    const message = `${credential.issuerDid} is not trusted for ${CREDENTIAL_TYPE} now, or was not when it issued this one.`;
    broken.push({ path: "verifiableCredential", rule: "issuer-trusted", message });
  }
  return credential;
}

function subjectMismatches({ subject }: Credential, input: NewCertificate): RuleDetail[] {
  const units = subject.underlyingUnits;
  const unitsOf = (name: string): unknown =>
    typeof units === "object" && units !== null && !Array.isArray(units)
      ? (units as Record<string, unknown>)[name]
      : undefined;
  const { underlyingUnits } = input;
  const pairs: [path: string, stated: unknown, expected: string][] = [
    ["certificateId", subject.certificateId, input.certificateId],
    ["implementerDid", subject.implementerDid, input.implementerDid],
    ["verifiedReduction", exact(subject.verifiedReduction, 6), String(input.verifiedReduction)],
    ["vintage", exact(subject.vintage, 0), String(input.vintage)],
    ["underlyingUnits.registry", unitsOf("registry"), underlyingUnits.registry],
    ["underlyingUnits.firstSerial", exact(unitsOf("firstSerial"), 0, true), String(underlyingUnits.firstSerial)],
    ["underlyingUnits.lastSerial", exact(unitsOf("lastSerial"), 0, true), String(underlyingUnits.lastSerial)],
  ];
  return pairs
    .filter(([, stated, expected]) => stated !== expected)
    .map(([path, stated]) => ({
      path: `verifiableCredential.credentialSubject.${path}`,
      rule: "subject-matches-certificate",
      message: stated === undefined ? "The credential does not say it." : "The credential says something else.",
    }));
}

/** A credential need not state a period. One that it states is the certificate's. */
function periodMismatches({ subject: { period } }: Credential, input: NewCertificate): RuleDetail[] {
  if (period === undefined) return [];
  const dates = typeof period === "object" && period !== null ? (period as Record<string, unknown>) : {};
  if (dates.startDate === input.period.startDate && dates.endDate === input.period.endDate) return [];
  const path = "verifiableCredential.credentialSubject.period";
  return [{ path, rule: "subject-matches-certificate", message: "The credential says another period." }];
}

/** Read a number of the credential in units of 10^-decimals, as text; undefined unless it is an exact number. */
function exact(value: unknown, decimals: number, orText = false): string | undefined {
  const text = isLosslessNumber(value) ? value.value : orText && typeof value === "string" ? value : undefined;
  const scaled = text === undefined ? undefined : parseScaled(text, decimals);
  return scaled === undefined ? undefined : String(scaled);
}

/** Pack the allocation into leaves; add its broken rules to `broken`. */
export async function checkAllocations(
  deps: CertificateDeps,
  { allocations, allocationCount, verifiedReduction }: AllocationsToCheck,
  broken: RuleDetail[],
): Promise<Uint8Array> {
  if (allocations === undefined) return new Uint8Array();
  if (allocationCount !== undefined && allocationCount !== allocations.length) {
    const message = `The certificate has ${allocationCount} allocations; ${allocations.length} are given.`;
    broken.push({ path: "allocations", rule: "allocation-count", message });
  }
  const rows = await deps.registry.households.byDids(allocations.map(({ householdDid }) => householdDid));
  const seen = new Set<string>();
  let sum = 0n;
  for (const [i, { householdDid, amount }] of allocations.entries()) {
    const path = `allocations.${i}.householdDid`;
    sum += amount;
    if (seen.has(householdDid)) {
      broken.push({ path, rule: "allocation-unique", message: "The household has an allocation already." });
    } else if (!rows.has(householdDid)) {
      broken.push({ path, rule: "recipient-registered", message: `Household ${householdDid} is not registered.` });
    }
    seen.add(householdDid);
  }
  if (sum !== verifiedReduction) {
    const total = sum > maxMicro ? "more than any reduction" : formatScaled(sum, 6);
    const message = `The allocations sum up to ${total}, not to the verified reduction.`;
    broken.push({ path: "allocations", rule: "allocation-sum", message });
  }
  return packLeaves(
    allocations.map(({ householdDid, amount }) => ({ household: rows.get(householdDid)?.household ?? 0, amount })),
  );
}

function checkOrder(input: NewCertificate, broken: RuleDetail[]): void {
  if (input.period.endDate < input.period.startDate) {
    broken.push({
      path: "period.endDate",
      rule: "dates-ordered",
      message: "The period must not end before it starts.",
    });
  }
  const { startDate, endDate } = input.period;
  if (input.vintage < Number(startDate.slice(0, 4)) || input.vintage > Number(endDate.slice(0, 4))) {
    const message = `The period has no day of ${input.vintage}, the year of the reduction.`;
    broken.push({ path: "vintage", rule: "vintage-in-period", message });
  }
  if (input.underlyingUnits.lastSerial < input.underlyingUnits.firstSerial) {
    const message = "The last serial must not be below the first.";
    broken.push({ path: "underlyingUnits.lastSerial", rule: "serials-ordered", message });
  }
}

/**
 * Allow only registries that the regulator's record admits, and one spelling of each: with another spelling, the same serials could
 * be registered twice.
 */
async function checkRegistryName(deps: CertificateDeps, registry: string, broken: RuleDetail[]): Promise<void> {
  const path = "underlyingUnits.registry";
  if (registrySpelling(registry) === null) {
    const message = "A registry's name has printable ASCII characters, one of them a letter or digit.";
    broken.push({ path, rule: "registry-name", message });
    return;
  }
  const { ledger } = deps.registry;
  const known = await ledger.certificates.read.registryNameHash([registry]);
  const isCertified = known === keccak256(stringToHex(registry));
  const day = await todayOf(deps);
  const refused = await whyRegistryRefused(deps.parameters, { name: registry, isCertified }, day);
  if (refused !== undefined) {
    broken.push({ path, ...refused });
    return;
  }
  if (known === zeroHash || isCertified) return;
  const last = await ledger.certificates.read.serialPredecessor([registry, maxUint64]);
  const name = (await deps.certificates.byIndex(last))?.facts.registry;
  const message = `The registry is on record as ${name ?? "another spelling of this name"}: use that.`;
  broken.push({ path, rule: "registry-spelling", message });
}

/** A registry's name and its aliases: certificates may have named it by one before it was recorded as an alias. */
async function namesOf(deps: CertificateDeps, registry: string): Promise<string[]> {
  const day = await todayOf(deps);
  const recorded = carbonRegistryOf(carbonRegistries(await deps.parameters.all(), day), registry);
  return [registry, ...(recorded?.aliases ?? [])];
}

async function findTaken(
  deps: CertificateDeps,
  input: NewCertificate,
  credential: Credential | null,
): Promise<RuleDetail[]> {
  const { certificates } = deps;
  const { ledger } = deps.registry;
  const taken: RuleDetail[] = [];
  if (await certificates.byId(input.certificateId)) {
    const message = `Certificate ${input.certificateId} is registered already.`;
    taken.push({ path: "certificateId", rule: "not-registered-before", message });
  }
  const { registry, firstSerial, lastSerial } = input.underlyingUnits;
  for (const name of await namesOf(deps, registry)) {
    const below = await ledger.certificates.read.serialPredecessor([name, lastSerial]);
    if (below === 0 || (await ledger.certificates.read.certificateOf([below])).lastSerial < firstSerial) continue;
    const other = (await certificates.byIndex(below))?.certificateId;
    const message = `The serials overlap those of certificate ${other}.`;
    taken.push({ path: "underlyingUnits", rule: "serials-disjoint", message });
  }
  for (const hash of credential === null ? [] : [credential.credentialHash, credential.twinHash]) {
    const known = hash === undefined ? null : await certificates.store.credential(hash);
    if (!known || known.certificateId === input.certificateId) continue;
    if (!(await certificates.byId(known.certificateId))) continue;
    const message = `The credential is that of certificate ${known.certificateId}.`;
    taken.push({ path: "verifiableCredential", rule: "credential-unused", message });
  }
  return taken;
}

async function registrationOf(
  deps: CertificateDeps,
  input: NewCertificate,
  found: { implementer: number; plan: number; credential: Credential },
): Promise<Registration> {
  const { registry, firstSerial, lastSerial } = input.underlyingUnits;
  const { implementer, plan, credential } = found;
  return {
    certificateId: input.certificateId,
    activityId: input.activityId,
    implementer,
    plan,
    vintage: input.vintage,
    periodStart: dayOf(input.period.startDate) ?? 0,
    periodEnd: dayOf(input.period.endDate) ?? 0,
    verifiedReduction: input.verifiedReduction,
    registry,
    firstSerial,
    lastSerial,
    verifier: idHash(credential.issuerDid),
    credentialIssuedAt: secondsOf(credential.issuedAt),
    credentialHash: credential.credentialHash,
    allocationCount: input.allocations?.length ?? input.allocationCount ?? 0,
    predecessor: await deps.registry.ledger.certificates.read.serialPredecessor([registry, firstSerial]),
  };
}

function secondsOf(moment: Date): bigint {
  return BigInt(Math.max(0, Math.floor(moment.getTime() / 1000)));
}

export function shorten(details: RuleDetail[]): RuleDetail[] {
  if (details.length <= MAX_DETAILS) return details;
  const more = details.length - MAX_DETAILS;
  return [...details.slice(0, MAX_DETAILS), { rule: "more", message: `${more} more broken rules are not listed.` }];
}
