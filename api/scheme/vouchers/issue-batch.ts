import { eventsIn, PendingTransactionError, submitCall } from "../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type RequestContext, requireRoleOrScope } from "../../platform/http/index.ts";
import {
  type OperationJob,
  type Operations,
  type StartedOperation,
  startOperation,
} from "../../platform/operations/index.ts";
import { type CertificateState, CHUNK_LEAVES, type ProvenLeaf } from "../certificates/index.ts";
import { implementerOfCertificate, issueScope, requireOwnCertificate } from "./access.ts";
import { type BatchCodes, type BatchDeps, type BatchInput, batchInput, openBatchCodes } from "./consent/batch-codes.ts";
import type { VoucherDeps } from "./deps.ts";
import { datesOrdered, daysOf } from "./issue.ts";
import type { IssueBatchRequest } from "./schemas.ts";

const operationType = "vouchers.issue-batch";
/** Chunks of 256 vouchers in one transaction. */
const chunksPerTransaction = 16;
/** Vouchers in one transaction when part of a chunk was issued before. */
const leavesPerTransaction = 100;

/**
 * Issue all allocations of a certificate by an operation that reports progress, continues after a kill and issues no
 * voucher twice.
 * @throws AppError FORBIDDEN, CONFLICT (everything is issued already), RULE_VIOLATION with every broken rule
 */
export async function startIssueBatch(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: IssueBatchRequest,
): Promise<StartedOperation> {
  requireRoleOrScope(ctx.actor, issueScope, "implementer");
  const { certificates } = deps;
  const row = await certificates.byId(input.emissionCertificateId);
  if (row !== null) await requireOwnCertificate(deps, ctx, row.certificate, issueScope);
  const state = row && (await certificates.stateOf(row.certificate));
  const days = daysOf(input.attributes);
  if (state !== null && state.allocationCount > 0 && state.issued === state.verifiedReduction) refuseIssued();
  refuseBrokenRules([...brokenRules(input, state), ...datesOrdered(days)], "The vouchers break the rules of issue.");
  if (row === null || state === null) throw new Error("A batch without certificate passed the rules.");
  const { startDay, expiryDay } = days;
  const codes = input.codes && {
    ...input.codes,
    implementerDid: await implementerOfCertificate(deps, row.certificate),
  };
  const batch: BatchInput = {
    certificate: row.certificate,
    startDay,
    expiryDay,
    batchId: input.attributes.batchId,
    codes,
  };
  return await startOperation(deps, ctx, { type: operationType, input: batch, total: state.allocationCount });
}

function refuseIssued(): never {
  const message = "All vouchers of the certificate have been issued already.";
  const path = "emissionCertificateId";
  throw new AppError("CONFLICT", message, { details: [{ path, rule: "issued-once", message }] });
}

function brokenRules(input: IssueBatchRequest, state: CertificateState | null): RuleDetail[] {
  const path = "emissionCertificateId";
  if (state === null) {
    const message = `There is no certificate ${input.emissionCertificateId}.`;
    return [{ path, rule: "certificate-exists", message }];
  }
  const broken: RuleDetail[] = [];
  if (state.status !== "valid") {
    const message = `The certificate is ${state.status}, not valid.`;
    broken.push({ path, rule: "certificate-valid", message });
  }
  if (state.allocationCount === 0) {
    const message = "The certificate has no allocation: issue its one voucher alone.";
    broken.push({ path, rule: "certificate-allocated", message });
  }
  return broken;
}

/** Define the operation that issues batches. */
export function defineIssueBatch(operations: Operations, deps: BatchDeps): void {
  operations.define(operationType, (job) => issueAll(deps, job));
}

/** Issue the batch. The chain skips issued vouchers, so a run after a kill can start from the first chunk. */
async function issueAll(deps: BatchDeps, job: OperationJob): Promise<unknown> {
  const input = batchInput.parse(job.input);
  const { allocationCount } = await deps.certificates.stateOf(input.certificate);
  const chunks = Math.ceil(allocationCount / CHUNK_LEAVES);
  const codes = await openBatchCodes(deps, job, input);
  let issued = 0;
  for (let first = 0; first < chunks && !job.signal.aborted; first += chunksPerTransaction) {
    const count = Math.min(chunksPerTransaction, chunks - first);
    issued += await issueChunks(deps, { job, input, first, count, codes });
    for (let chunk = first; chunk < first + count && !job.signal.aborted; chunk++) {
      issued += await issueRest(deps, { job, input, chunk, allocationCount, codes });
    }
    const done = Math.min((first + count) * CHUNK_LEAVES, allocationCount);
    if (!job.signal.aborted) await job.progress({ done, total: allocationCount, failed: 0 });
  }
  const set = codes === undefined ? {} : { codeSetId: job.id };
  return { issuedNow: issued, total: allocationCount, ...set };
}

async function issueChunks(
  deps: BatchDeps,
  { job, input, first, count, codes }: Part & { first: number; count: number },
): Promise<number> {
  const { certificate, startDay, expiryDay, batchId } = input;
  const calls = await codes?.callsOfChunks(first, count);
  if (calls?.length === 0) return 0;
  const call = { sender: "operator", contract: "vouchers", purpose: "voucher.issue-batch" } as const;
  const part = `chunks-${first}`;
  const mined = await submitPatiently(job, () =>
    calls === undefined
      ? submitCall(
          deps,
          { idempotencyKey: job.id },
          {
            ...call,
            functionName: "issueChunks",
            args: [certificate, first, count, startDay, expiryDay, batchId],
            part,
          },
        )
      : submitCall(deps, { idempotencyKey: job.id }, { ...call, functionName: "multicall", args: [calls], part }),
  );
  const at = { contract: "vouchers", address: deps.chain.addresses.vouchers, eventName: "BatchIssued" } as const;
  return eventsIn(mined?.logs ?? [], at).reduce((sum, event) => sum + event.args.count, 0);
}

type Part = { job: OperationJob; input: BatchInput; codes: BatchCodes | undefined };

/** Issue leaf by leaf: the chain skips a whole chunk when part of it was issued before. */
async function issueRest(
  deps: BatchDeps,
  { job, input, chunk, allocationCount, codes }: Part & { chunk: number; allocationCount: number },
): Promise<number> {
  const first = chunk * CHUNK_LEAVES;
  const size = Math.min(CHUNK_LEAVES, allocationCount - first);
  const leaves = Array.from({ length: size }, (_, i) => first + i);
  const flags = await Promise.all(
    leaves.map((leaf) => deps.chain.read("certificates", "isLeafIssued", [input.certificate, leaf])),
  );
  const missing = leaves.filter((_, i) => !flags[i]);
  for (let start = 0; start < missing.length && !job.signal.aborted; start += leavesPerTransaction) {
    const some = missing.slice(start, start + leavesPerTransaction);
    const proven = await Promise.all(some.map((leaf) => deps.certificates.leafAt(input.certificate, leaf)));
    const orders = proven.filter((leaf) => leaf !== null).map((leaf) => orderOf(input, leaf));
    const calls = await codes?.callsOfOrders(some[0] ?? 0, orders);
    const call = { sender: "operator", contract: "vouchers", purpose: "voucher.issue-batch" } as const;
    const part = `leaves-${some[0]}`;
    await submitPatiently(job, () =>
      calls === undefined
        ? submitCall(deps, { idempotencyKey: job.id }, { ...call, functionName: "issueMany", args: [orders], part })
        : submitCall(deps, { idempotencyKey: job.id }, { ...call, functionName: "multicall", args: [calls], part }),
    );
  }
  return missing.length;
}

function orderOf({ certificate, startDay, expiryDay, batchId }: BatchInput, leaf: ProvenLeaf) {
  const { household, amount: value, proof } = leaf;
  return { certificate, leaf: leaf.leaf, household, value, startDay, expiryDay, batchId, proof };
}

/** Submit a transaction; when its block is late, wait again for the same transaction. */
async function submitPatiently<T>(job: OperationJob, submit: () => Promise<T>): Promise<T | undefined> {
  while (!job.signal.aborted) {
    try {
      return await submit();
    } catch (error) {
      if (!(error instanceof PendingTransactionError)) throw error;
    }
  }
  return undefined;
}
