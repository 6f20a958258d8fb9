import type { Hex } from "viem";
import { z } from "zod";
import { voucherIdOf } from "../../../wire/src/ids.ts";
import {
  callUntilMined,
  eventsIn,
  findSent,
  ledgerStates,
  type MinedCall,
  type Opening,
  orUnavailable,
  submitCall,
} from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Actor, RequestContext } from "../../platform/http/index.ts";
import {
  findReadable,
  OperationCancelled,
  type OperationJob,
  OperationWaits,
  type StartedOperation,
  startOperation,
} from "../../platform/operations/index.ts";
import { formatScaled } from "../../platform/values/numbers.ts";
import { CHUNK_LEAVES } from "./allocation-tree.ts";
import type { CertificateDeps } from "./deps.ts";
import { readRevocation } from "./revocation.ts";
import type { CertificateRow } from "./tables.ts";

export const BURNING_TYPE = "certificate-burn";
/** Vouchers in one transaction: about 66 KiB of calldata when none is open, below the 128 KiB limit of nodes. */
const VOUCHERS_PER_CALL = 150;

export type BurningDeps = Pick<CertificateDeps, "chain" | "certificates" | "credentials">;

const burningInput = z.object({ certificate: z.number().int() });

/** A voucher from its issue event. `leaf` is null for a voucher that was issued alone. */
type Issued = { voucher: bigint; leaf: number | null };

/**
 * Start the operation that burns the balances of a revoked certificate's vouchers once the revocation is final. A
 * certificate has one such operation, even if it is started several times. A veto ends the operation; another
 * revocation restarts it. The regulator and the certificate's implementer can follow it.
 */
export async function startBurning(
  deps: Pick<CertificateDeps, "registry" | "operations" | "clock">,
  { certificate, implementer }: CertificateRow,
): Promise<void> {
  const owner = await deps.registry.implementers.byIndex(implementer);
  const actor: Actor = {
    keyId: "",
    role: "implementer",
    scopes: [],
    dids: null,
    ...(owner && { implementerDid: owner.did }),
  };
  const input: z.infer<typeof burningInput> = { certificate };
  await startOperation(deps, { actor, idempotencyKey: idOf(certificate) }, { type: BURNING_TYPE, input });
  await deps.operations.store.restart(operationIdOf(certificate), "cancelled");
  deps.operations.wake();
}

/** Read the operation that burns a certificate's vouchers, if the caller may follow it. */
export function findBurning(
  deps: CertificateDeps,
  ctx: RequestContext,
  certificate: number,
): Promise<StartedOperation | null> {
  return findReadable(deps, ctx, operationIdOf(certificate));
}

const idOf = (certificate: number): string => `burn${certificate}`;
export const operationIdOf = (certificate: number): string => `OPER-${idOf(certificate)}`;

/**
 * Burn the vouchers of a revoked certificate. The chain skips burned vouchers, so a run after a kill can start from the
 * first.
 * @throws OperationWaits while the revocation can be vetoed; OperationCancelled when it was
 */
export async function runBurning(deps: BurningDeps, job: OperationJob): Promise<{ vouchers: number; burned: string }> {
  const { certificate } = burningInput.parse(job.input);
  const revocation = await callUntilMined(job, () => orUnavailable(readRevocation(deps.chain, certificate)));
  if (revocation === null) throw new OperationCancelled("The guardian has vetoed the revocation.");
  if (!revocation.isFinal) throw new OperationWaits(revocation.finalAt);
  await callUntilMined(job, () => orUnavailable(revokeCredential(deps, certificate)));
  const issued = await callUntilMined(job, () => orUnavailable(issuedOf(deps, certificate)));
  const total = issued.length;
  await job.progress({ done: 0, total, failed: 0 });
  let vouchers = 0;
  let burned = 0n;
  for (let first = 0; first < total; first += VOUCHERS_PER_CALL) {
    const some = issued.slice(first, first + VOUCHERS_PER_CALL);
    const mined = await callUntilMined(job, () => burnSome(deps, job, { certificate, some, first }));
    const at = { contract: "vouchers", address: deps.chain.addresses.vouchers, eventName: "VoucherRevoked" } as const;
    for (const { args } of eventsIn(mined?.logs ?? [], at)) {
      vouchers += 1;
      burned += args.rest;
    }
    await job.progress({ done: Math.min(total, first + VOUCHERS_PER_CALL), total, failed: 0 });
  }
  return { vouchers, burned: formatScaled(burned, 6) };
}

/**
 * Revoke the certificate's credential if this service issued it. That cannot be undone, so it too waits until the
 * revocation is final.
 */
async function revokeCredential({ chain, certificates, credentials }: BurningDeps, certificate: number): Promise<void> {
  const row = await certificates.byIndex(certificate);
  const changes = await chain.past("certificates", "CertificateStatusChanged", { certificate });
  try {
    await credentials.revoke(row?.facts.credentialHash as Hex, changes.at(-1)?.args.reason ?? "");
  } catch (error) {
    if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
  }
}

/** List every voucher issued from the certificate. The order never changes: a revoked certificate issues no more. */
async function issuedOf({ chain }: BurningDeps, certificate: number): Promise<Issued[]> {
  const [batches, lone] = await Promise.all([
    chain.past("vouchers", "BatchIssued", { certificate }),
    chain.past("vouchers", "VoucherIssued", { certificate }),
  ]);
  const inBatches = batches.flatMap(({ args: { batch, chunk, count } }) =>
    Array.from({ length: count }, (_, i) => ({ voucher: voucherIdOf(batch, i), leaf: chunk * CHUNK_LEAVES + i })),
  );
  return [...inBatches, ...lone.map(({ args }) => ({ voucher: args.voucher, leaf: null }))];
}

type Part = { certificate: number; some: Issued[]; first: number };

/** Burn some vouchers; null if none of them had anything to burn when they were first read. */
async function burnSome(
  deps: BurningDeps,
  job: OperationJob,
  { certificate, some, first }: Part,
): Promise<MinedCall | null> {
  const ctx = { deps, idempotencyKey: job.id };
  const part = `burn:${first}`;
  const openings = await orUnavailable(openingsOf(deps, certificate, some));
  if (openings.length === 0) return findSent(deps, ctx, { part });
  return submitCall(deps, ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "burnRevoked",
    args: [certificate, openings],
    purpose: "certificate.burn",
    part,
  });
}

/**
 * List the vouchers that are active or suspended. Spent ones count: a reversed redemption would return an amount to
 * them. For an open voucher `burnRevoked` reads only the id.
 */
async function openingsOf(
  { chain, certificates }: BurningDeps,
  certificate: number,
  some: Issued[],
): Promise<Opening[]> {
  const found = await Promise.all(
    some.map(async ({ voucher, leaf }): Promise<Opening | null> => {
      const { status } = await chain.read("vouchers", "voucherOf", [voucher]);
      const state = ledgerStates[status];
      if (state === "active" || state === "suspended") {
        return { voucher, household: 0, value: 0n, proof: [] };
      }
      if (state !== "none" || leaf === null) return null;
      const proven = await certificates.leafAt(certificate, leaf);
      if (proven === null) throw new Error(`Certificate ${certificate} has no leaf ${leaf}.`);
      return { voucher, household: proven.household, value: proven.amount, proof: proven.proof };
    }),
  );
  return found.filter((opening) => opening !== null);
}
