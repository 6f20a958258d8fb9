import { createHash } from "node:crypto";
import { once, submitCall } from "../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type RequestContext, requireOwnImplementer, requireRoleOrScope } from "../../platform/http/index.ts";
import { findStarted, type StartedOperation } from "../../platform/operations/index.ts";
import { LEAF_BYTES, toCalldata } from "./allocation-tree.ts";
import { checkAllocations, shorten } from "./checks.ts";
import type { CertificateDeps } from "./deps.ts";
import { countedBy, householdPeriodProblems } from "./household-periods.ts";
import { openFindingProblems, registeringCall } from "./open-findings.ts";
import { LEAVES_PER_CALL, RECORDING_TYPE, startRecording } from "./recording.ts";
import type { Certificate, NewAllocations } from "./schemas.ts";
import { getCertificate, knownCertificate } from "./service.ts";
import type { CertificateRow } from "./tables.ts";

const SCOPE = "certificates:allocate";

/**
 * Record the whole allocation of a certificate that was registered with an allocationCount; the certificate is valid
 * afterwards.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when the certificate does not wait for an allocation, RULE_VIOLATION
 */
export async function recordAllocations(
  deps: CertificateDeps,
  ctx: RequestContext,
  certificateId: string,
  input: NewAllocations,
): Promise<{ certificate: Certificate } | { operation: StartedOperation }> {
  const row = await knownCertificate(deps, certificateId);
  await requireMayAllocate(deps, ctx, row);
  let operation = await findStarted(deps, ctx, RECORDING_TYPE);
  if (operation !== undefined) return { operation };
  await once(deps, ctx, async () => {
    const leaves = await checkedLeaves(deps, row, input);
    if (leaves.length <= LEAVES_PER_CALL * LEAF_BYTES) {
      return submitCall(deps, ctx, {
        ...registeringCall(deps, { ...row, ...countedBy({ ...row, ...row.facts }, leaves) }),
        sender: "registrar",
        contract: "certificates",
        functionName: "recordAllocation",
        args: [row.certificate, toCalldata(leaves)],
        purpose: "certificate.record",
      });
    }
    operation = await recordInParts(deps, ctx, certificateId, leaves);
    return null;
  });
  return operation === undefined ? { certificate: await getCertificate(deps, ctx, certificateId) } : { operation };
}

async function requireMayAllocate(deps: CertificateDeps, ctx: RequestContext, row: CertificateRow): Promise<void> {
  requireRoleOrScope(ctx.actor, SCOPE, "regulator", "implementer");
  if (ctx.actor.role === "regulator") return;
  const implementer = await deps.registry.implementers.byIndex(row.implementer);
  requireOwnImplementer(ctx.actor, implementer?.did ?? "", SCOPE);
}

async function checkedLeaves(deps: CertificateDeps, row: CertificateRow, input: NewAllocations): Promise<Uint8Array> {
  const state = await deps.certificates.stateOf(row.certificate);
  if (state.status !== "pending" || state.recordedCount > 0) {
    const message = "The certificate does not await its allocation.";
    throw new AppError("CONFLICT", message, { details: [{ rule: "allocation-awaited", message }] });
  }
  const broken: RuleDetail[] = [];
  const { allocationCount, verifiedReduction } = state;
  const leaves = await checkAllocations(deps, { ...input, allocationCount, verifiedReduction }, broken);
  const counted = countedBy({ ...row, ...row.facts }, leaves);
  broken.push(...(await householdPeriodProblems(deps, counted, "allocations")));
  broken.push(...(await openFindingProblems(deps, { ...row, ...counted })));
  refuseBrokenRules(shorten(broken));
  return leaves;
}

async function recordInParts(
  deps: CertificateDeps,
  ctx: RequestContext,
  certificateId: string,
  leaves: Uint8Array,
): Promise<StartedOperation> {
  const draftId = createHash("sha256").update(certificateId).update(leaves).digest("hex");
  const createdAt = deps.clock.now();
  await deps.certificates.store.saveDraft({
    draftId,
    certificateId,
    registration: {},
    leaves,
    campaignHouseholds: null,
    createdAt,
  });
  return startRecording(deps, ctx, { draftId, total: leaves.length / LEAF_BYTES, isRegistered: true });
}
