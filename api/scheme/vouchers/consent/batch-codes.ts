import { encodeFunctionData, type Hex, toHex } from "viem";
import { z } from "zod";
import { abis, errorFromRevert } from "../../../platform/chain/index.ts";
import type { OperationJob } from "../../../platform/operations/index.ts";
import { chainUnavailable } from "../../../platform/unavailable.ts";
import { cardLanguages } from "../../cards/index.ts";
import { CHUNK_LEAVES, chunkOf, LEAF_BYTES, leafAt } from "../../certificates/index.ts";
import type { VoucherDeps } from "../deps.ts";

export const batchInput = z.object({
  certificate: z.number().int(),
  startDay: z.number().int(),
  expiryDay: z.number().int(),
  batchId: z.string(),
  /** One-time codes that are committed with the vouchers. */
  codes: z
    .object({ implementerDid: z.string(), perVoucher: z.number().int(), language: z.enum(cardLanguages) })
    .optional(),
});
export type BatchInput = z.infer<typeof batchInput>;
export type BatchDeps = Pick<VoucherDeps, "chain" | "certificates" | "registry" | "codes">;

/** Chunks of 256 vouchers whose codes are committed together. More would save little gas, and make proofs longer. */
const chunksPerTree = 4;

type IssueOrder = {
  certificate: number;
  leaf: number;
  household: number;
  value: bigint;
  startDay: number;
  expiryDay: number;
  batchId: string;
  proof: Hex[];
};

/** The one-time codes of a batch: each issue and the commitment of its codes are calls of one transaction. */
export type BatchCodes = {
  /** Calls that issue the chunks of which nothing is issued, with their codes. */
  callsOfChunks(first: number, count: number): Promise<Hex[]>;
  /** Calls that issue some vouchers alone, from a leaf on, each with its codes. */
  callsOfOrders(firstLeaf: number, orders: readonly IssueOrder[]): Promise<Hex[]>;
};

/** Create the code set of an operation, or continue with it; undefined for a batch without codes. */
export async function openBatchCodes(
  deps: BatchDeps,
  job: Pick<OperationJob, "id">,
  input: BatchInput,
): Promise<BatchCodes | undefined> {
  if (input.codes === undefined) return undefined;
  const { implementerDid, perVoucher: codesPerVoucher, language } = input.codes;
  const { certificate, batchId, startDay, expiryDay } = input;
  const names = { codeSetId: job.id, implementerDid, certificate, batchId };
  const set = await deps.codes.create({ ...names, language, codesPerVoucher });
  const issueCalls = (chunks: readonly number[]) =>
    runsOf(chunks).map(({ first, count }) =>
      encodeFunctionData({
        abi: abis.vouchers,
        functionName: "issueChunks",
        args: [certificate, first, count, startDay, expiryDay, batchId],
      }),
    );
  const householdsOf = async (chunk: number) => {
    const packed = chunkOf(await deps.certificates.leavesOf(certificate), chunk);
    return Array.from({ length: packed.length / LEAF_BYTES }, (_, i) => leafAt(packed, i)?.household ?? 0);
  };
  /** Some chunks by what is committed for them together. Trees that are missing are made. */
  const groupOf = async (first: number, count: number): Promise<{ root: Hex; chunks: number[] }[]> => {
    const [from, to] = [first * CHUNK_LEAVES, (first + count) * CHUNK_LEAVES];
    const chunks = Array.from({ length: count }, (_, i) => first + i);
    const members = new Map<number, number[]>();
    for (const chunk of chunks) members.set(chunk, await householdsOf(chunk));
    // A chunk that this operation has planned before stays in its transaction, which is sent once. A tree with a part of a
    // chunk is of vouchers that are issued alone.
    const made = (await deps.codes.treesBetween(set.codeSetId, from, to)).map(({ root, households }) => {
      const own = new Set(households);
      return { root, chunks: chunks.filter((chunk) => members.get(chunk)?.every((household) => own.has(household))) };
    });
    const planned = made.filter((tree) => tree.chunks.length > 0);
    const fresh: number[] = [];
    for (const chunk of chunks) {
      if (planned.some((tree) => tree.chunks.includes(chunk))) continue;
      if (await isUntouched(deps, certificate, chunk * CHUNK_LEAVES, members.get(chunk)?.length ?? 0))
        fresh.push(chunk);
    }
    const together = fresh.length > 1 && (await sharesCodes(deps, issueCalls(fresh)));
    for (const own of together ? [fresh] : fresh.map((chunk) => [chunk])) {
      const households = own.flatMap((chunk) => members.get(chunk) ?? []);
      const root = await deps.codes.makeTree(set, (own[0] ?? 0) * CHUNK_LEAVES, households);
      planned.push({ root, chunks: own });
    }
    return planned;
  };
  return {
    async callsOfChunks(first, count) {
      const calls: Hex[] = [];
      for (let start = first; start < first + count; start += chunksPerTree) {
        const group = await groupOf(start, Math.min(chunksPerTree, first + count - start));
        for (const { root, chunks } of group) calls.push(...issueCalls(chunks), commitCall(root));
      }
      return calls;
    },
    async callsOfOrders(firstLeaf, orders) {
      const households = orders.map(({ household }) => household);
      const made = await deps.codes.madeRoot(set.codeSetId, firstLeaf);
      const root = made ?? (await deps.codes.makeTree(set, firstLeaf, households));
      return orders.flatMap((order) => [issueCall(order), commitCall(root)]);
    },
  };
}

const issueCall = (order: IssueOrder): Hex =>
  encodeFunctionData({ abi: abis.vouchers, functionName: "issue", args: [order] });
const commitCall = (root: Hex): Hex =>
  encodeFunctionData({ abi: abis.vouchers, functionName: "commitCodes", args: [root] });

/** Chunks that follow one another, which one call issues. */
function runsOf(chunks: readonly number[]): { first: number; count: number }[] {
  const runs: { first: number; count: number }[] = [];
  for (const chunk of chunks) {
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === chunk) last.count++;
    else runs.push({ first: chunk, count: 1 });
  }
  return runs;
}

/**
 * Whether the ledger commits codes to all batches that a transaction has issued. One of an earlier version commits them
 * only to the last, so that each batch needs a root. Tried without sending, because both have the same functions.
 * @throws AppError when the ledger refuses the calls, or the chain does not answer
 */
async function sharesCodes({ chain }: BatchDeps, issue: readonly Hex[]): Promise<boolean> {
  const root = toHex(1, { size: 32 });
  const first = BigInt(await chain.read("vouchers", "batchCount", [])) + 1n;
  const read = encodeFunctionData({ abi: abis.vouchers, functionName: "codeRootOf", args: [first << 32n] });
  const args = [[...issue, commitCall(root), read]] as const;
  const call = { address: chain.addresses.vouchers, abi: abis.vouchers, functionName: "multicall", args } as const;
  const account = chain.senders.operator.address;
  try {
    return (await chain.client.simulateContract({ ...call, account })).result.at(-1) === root;
  } catch (error) {
    throw errorFromRevert(error) ?? chainUnavailable(error);
  }
}

/** Whether none of a chunk's vouchers is issued: the ledger skips any other chunk, and would refuse its codes. */
async function isUntouched({ chain }: BatchDeps, certificate: number, firstLeaf: number, count: number) {
  const leaves = Array.from({ length: count }, (_, i) => firstLeaf + i);
  const flags = await Promise.all(
    leaves.map((leaf) => chain.read("certificates", "isLeafIssued", [certificate, leaf])),
  );
  return !flags.includes(true);
}
