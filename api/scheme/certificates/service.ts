import { createHash } from "node:crypto";
import { type MinedCall, once, submitCall } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import {
  type RequestContext,
  requireOwnImplementer,
  requireRole,
  requireRoleOrScope,
  toPage,
} from "../../platform/http/index.ts";
import { findStarted, type StartedOperation } from "../../platform/operations/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { indexAfter, notRegistered } from "../registry/index.ts";
import { LEAF_BYTES, toCalldata } from "./allocation-tree.ts";
import { findBurning, startBurning } from "./burning.ts";
import { type CheckedCertificate, checkCertificate } from "./checks.ts";
import type { CertificateDeps } from "./deps.ts";
import { certificateStatusNumber } from "./directory.ts";
import { registeringCall } from "./open-findings.ts";
import { LEAVES_PER_CALL, RECORDING_TYPE, registrationInJson, startRecording } from "./recording.ts";
import { packHouseholds } from "./reservations.ts";
import { readRevocation } from "./revocation.ts";
import type { Certificate, CertificateChange, NewCertificate } from "./schemas.ts";
import type { CertificateRow } from "./tables.ts";
import { coversReduction } from "./underlying-units.ts";

export const WRITE_SCOPE = "certificates:write";

/**
 * Register a certificate with its allocation: in one transaction if the allocation fits into one, else by an operation
 * with several, during which the certificate is pending.
 * @param campaignHouseholds indexes of the households whose reduction the certificate's campaign measured
 * @throws AppError FORBIDDEN, CONFLICT, RULE_VIOLATION
 */
export async function registerCertificate(
  deps: CertificateDeps,
  ctx: RequestContext,
  input: NewCertificate,
  campaignHouseholds?: ReadonlySet<number>,
): Promise<{ certificate: Certificate } | { operation: StartedOperation }> {
  requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator");
  if (ctx.actor.role === "integrator") requireOwnImplementer(ctx.actor, input.implementerDid, WRITE_SCOPE);
  let operation = await findStarted(deps, ctx, RECORDING_TYPE);
  if (operation !== undefined) return { operation };
  await once(deps, ctx, async () => {
    const checked = await checkCertificate(deps, input, campaignHouseholds);
    await keepCredential(deps, input.certificateId, checked);
    if (checked.leaves.length <= LEAVES_PER_CALL * LEAF_BYTES) return sendWhole(deps, ctx, checked);
    operation = await recordInParts(deps, ctx, checked, campaignHouseholds);
    return null;
  });
  return operation === undefined
    ? { certificate: await getCertificate(deps, ctx, input.certificateId) }
    : { operation };
}

/** Read a certificate. @throws AppError NOT_FOUND */
export async function getCertificate(
  deps: CertificateDeps,
  ctx: RequestContext,
  certificateId: string,
): Promise<Certificate> {
  return show(deps, ctx, await knownCertificate(deps, certificateId));
}

/** List certificates. @throws AppError NOT_FOUND when the implementer is not registered */
export async function listCertificates(
  deps: CertificateDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined; implementerDid?: string | undefined },
): Promise<{ items: Certificate[]; nextCursor: string | null }> {
  await deps.certificates.catchUp();
  const after = indexAfter(query.cursor);
  const implementer = await implementerIndex(deps, query.implementerDid);
  const rows = await deps.certificates.store.listAfter(after, query.limit + 1, implementer);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.certificate]);
  return { items: await Promise.all(items.map((row) => show(deps, ctx, row))), nextCursor };
}

/**
 * Suspend, reinstate or revoke a certificate; only the regulator reinstates. A revocation starts the operation that burns the
 * vouchers' balances once it is final.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when its status does not allow the change
 */
export async function changeCertificate(
  deps: CertificateDeps,
  ctx: RequestContext,
  certificateId: string,
  change: CertificateChange,
): Promise<Certificate> {
  const row = await knownCertificate(deps, certificateId);
  requireRoleOrScope(ctx.actor, WRITE_SCOPE, "regulator");
  // Who was suspended must not end the suspension.
  if (change.status === "valid") requireRole(ctx.actor, "regulator");
  if (ctx.actor.role === "integrator") {
    const implementer = await deps.registry.implementers.byIndex(row.implementer);
    requireOwnImplementer(ctx.actor, implementer?.did ?? "", WRITE_SCOPE);
  }
  const { transactionHash } = await submitCall(deps, ctx, {
    sender: "registrar",
    contract: "certificates",
    functionName: "setCertificateStatus",
    args: [row.certificate, certificateStatusNumber[change.status], change.reason],
    purpose: `certificate.${change.status}`,
  });
  // RevocationWatch would start it too, some blocks later; started here, it can be named in the response.
  if (change.status === "revoked") await startBurning(deps, row);
  return { ...(await show(deps, ctx, row)), transactionHash };
}

async function sendWhole(
  deps: CertificateDeps,
  ctx: RequestContext,
  { registration, leaves, counted }: CheckedCertificate,
): Promise<MinedCall> {
  const call = { sender: "registrar", contract: "certificates", purpose: "certificate.register" } as const;
  const { review, alsoStore } = registeringCall(deps, counted);
  if (leaves.length === 0) {
    return submitCall(deps, ctx, { ...call, review, functionName: "registerCertificate", args: [registration] });
  }
  return submitCall(deps, ctx, {
    ...call,
    review,
    alsoStore,
    functionName: "registerAllocated",
    args: [registration, toCalldata(leaves)],
  });
}

async function keepCredential(
  deps: CertificateDeps,
  certificateId: string,
  checked: CheckedCertificate,
): Promise<void> {
  const { credentialHash, issuerDid, jwt } = checked.credential;
  const createdAt = deps.clock.now();
  const credential = { credentialHash, certificateId, issuer: issuerDid, token: jwt, createdAt };
  await deps.certificates.store.saveCredential(credential);
}

async function recordInParts(
  deps: CertificateDeps,
  ctx: RequestContext,
  { registration, leaves }: CheckedCertificate,
  campaignHouseholds: ReadonlySet<number> | undefined,
): Promise<StartedOperation> {
  const inJson = registrationInJson(registration);
  const draftId = createHash("sha256").update(JSON.stringify(inJson)).update(leaves).digest("hex");
  await deps.certificates.store.saveDraft({
    draftId,
    certificateId: registration.certificateId,
    registration: inJson,
    leaves,
    campaignHouseholds: campaignHouseholds === undefined ? null : packHouseholds(campaignHouseholds),
    createdAt: deps.clock.now(),
  });
  return startRecording(deps, ctx, { draftId, total: registration.allocationCount, isRegistered: false });
}

async function implementerIndex(deps: CertificateDeps, did: string | undefined): Promise<number | undefined> {
  if (did === undefined) return undefined;
  const row = await deps.registry.implementers.byDid(did);
  if (!row) throw new AppError("NOT_FOUND", `Implementer ${did} is not registered.`);
  return row.implementer;
}

export async function knownCertificate(deps: CertificateDeps, certificateId: string): Promise<CertificateRow> {
  const row = await deps.certificates.byId(certificateId);
  if (!row) throw notRegistered("Certificate", certificateId);
  return row;
}

async function show(deps: CertificateDeps, ctx: RequestContext, row: CertificateRow): Promise<Certificate> {
  const { certificates } = deps;
  const { implementers, plans } = deps.registry;
  const { facts } = row;
  const state = await certificates.stateOf(row.certificate);
  const [implementer, terms, credential, burnOperation, revocation, unitsCoverReduction] = await Promise.all([
    implementers.byIndex(row.implementer),
    plans.termsOf(row.plan),
    certificates.store.credential(facts.credentialHash),
    findBurning(deps, ctx, row.certificate),
    readRevocation(deps.chain, row.certificate),
    coversReduction(deps, unitsOf(facts), state.verifiedReduction),
  ]);
  const allocated = facts.allocationCount > 0;
  return {
    certificateId: row.certificateId,
    status: state.status,
    revocationFinalAt: revocation === null || revocation.isFinal ? null : revocation.finalAt.toISOString(),
    implementerDid: implementer?.did ?? null,
    planId: terms.planId,
    activityId: facts.activityId,
    vintage: facts.vintage,
    period: facts.period,
    verifiedReduction: jsonAmount(state.verifiedReduction),
    issued: jsonAmount(state.issued),
    remaining: jsonAmount(state.verifiedReduction - state.issued),
    underlyingUnits: { registry: facts.registry, firstSerial: facts.firstSerial, lastSerial: facts.lastSerial },
    unitsCoverReduction,
    allocation: allocated
      ? {
          count: facts.allocationCount,
          recorded: state.recordedCount,
          root: await certificates.allocationRoot(row.certificate),
        }
      : null,
    credential: { hash: facts.credentialHash, issuer: credential?.issuer ?? null, issuedAt: facts.credentialIssuedAt },
    burnOperation,
    index: row.certificate,
    registeredAt: row.registeredAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}

function unitsOf({ registry, firstSerial, lastSerial }: CertificateRow["facts"]) {
  return { registry, firstSerial: BigInt(firstSerial), lastSerial: BigInt(lastSerial) };
}
