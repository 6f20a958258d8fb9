import { callUntilMined, submitCall } from "../../platform/chain/index.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { type OperationJob, type StartedOperation, startOperation } from "../../platform/operations/index.ts";
import { CHUNK_LEAVES, LEAF_BYTES, toCalldata } from "./allocation-tree.ts";
import type { CertificateDeps, CountedReduction } from "./deps.ts";
import { factsOf, type Registration } from "./facts.ts";
import { countedBy } from "./household-periods.ts";
import { registeringCall } from "./open-findings.ts";
import { unpackHouseholds } from "./reservations.ts";
import type { CertificateDraft } from "./store.ts";

export const RECORDING_TYPE = "certificate-registration";

/** 32 whole chunks: 96 KiB of calldata, below the 128 KiB limit of nodes for one transaction. */
export const LEAVES_PER_CALL = 32 * CHUNK_LEAVES;

const bigFields = ["verifiedReduction", "firstSerial", "lastSerial", "credentialIssuedAt"] as const;

/** Convert a registration to JSON, amounts and serials as decimal text. */
export function registrationInJson(registration: Registration): Record<string, string | number> {
  const big = Object.fromEntries(bigFields.map((field) => [field, String(registration[field])]));
  return { ...(registration as unknown as Record<string, string | number>), ...big };
}

function registrationFromJson(json: Record<string, string | number>): Registration {
  const big = Object.fromEntries(bigFields.map((field) => [field, BigInt(json[field] ?? 0)]));
  return { ...json, ...big } as unknown as Registration;
}

/** `isRegistered`: the certificate is on chain and lacks only its allocation. */
type RecordingInput = { draftId: string; isRegistered: boolean };

/** Start the registration of a checked certificate that needs several transactions. */
export async function startRecording(
  deps: CertificateDeps,
  ctx: RequestContext,
  { total, ...input }: RecordingInput & { total: number },
): Promise<StartedOperation> {
  return startOperation(deps, ctx, { type: RECORDING_TYPE, input, total });
}

/** Register the draft's certificate as pending, then record its allocation in order; the last part makes it valid. */
export async function runRecording(
  deps: CertificateDeps,
  job: OperationJob,
): Promise<{ certificateId: string; index: number }> {
  const { draftId, isRegistered } = job.input as RecordingInput;
  const certificates = deps.certificates.store;
  const draft = await certificates.draft(draftId);
  if (!draft) throw new Error(`The draft ${draftId} of operation ${job.id} is gone.`);
  if (!isRegistered) {
    const registration = registrationFromJson(draft.registration);
    const ofCampaign = draft.campaignHouseholds === null ? undefined : unpackHouseholds(draft.campaignHouseholds);
    const counted = countedBy({ ...registration, ...factsOf(registration) }, draft.leaves, ofCampaign);
    const call = {
      ...registeringCall(deps, { ...registration, ...counted }),
      sender: "registrar",
      contract: "certificates",
      functionName: "registerCertificate",
      args: [registration],
      purpose: "certificate.register",
      part: "register",
    } as const;
    await callUntilMined(job, () => submitCall(deps, { idempotencyKey: job.id }, call));
  }
  const row = await deps.certificates.byId(draft.certificateId);
  if (!row) throw new Error(`Certificate ${draft.certificateId} is not on chain.`);
  const counted = isRegistered ? { ...row, ...countedBy({ ...row, ...row.facts }, draft.leaves) } : undefined;
  const total = draft.leaves.length / LEAF_BYTES;
  await recordLeaves(deps, job, { draft, certificate: row.certificate, total, counted });
  await certificates.saveLeaves(row.certificate, draft.leaves);
  return { certificateId: draft.certificateId, index: row.certificate };
}

type LeavesToRecord = {
  draft: CertificateDraft;
  certificate: number;
  total: number;
  /** What the first part reserves; undefined when the registration has reserved it. */
  counted: CountedReduction | undefined;
};

async function recordLeaves(
  deps: CertificateDeps,
  job: OperationJob,
  { draft, certificate, total, counted }: LeavesToRecord,
): Promise<void> {
  for (let first = 0; first < total; first += LEAVES_PER_CALL) {
    const leaves = draft.leaves.subarray(first * LEAF_BYTES, (first + LEAVES_PER_CALL) * LEAF_BYTES);
    const call = {
      ...(counted !== undefined && first === 0 ? registeringCall(deps, counted) : {}),
      sender: "registrar",
      contract: "certificates",
      functionName: "recordAllocation",
      args: [certificate, toCalldata(leaves)],
      purpose: "certificate.record",
      part: `record:${first}`,
    } as const;
    await callUntilMined(job, () => submitCall(deps, { idempotencyKey: job.id }, call));
    await job.progress({ done: Math.min(total, first + LEAVES_PER_CALL), total, failed: 0 });
  }
}
