import { encodeFunctionData, type Hex } from "viem";
import { z } from "zod";
import { abis } from "../../platform/chain/index.ts";
import type { OperationJob } from "../../platform/operations/index.ts";
import { cardLanguages } from "../cards/index.ts";
import { CHUNK_LEAVES, chunkOf, LEAF_BYTES, leafAt } from "../certificates/index.ts";
import type { VoucherDeps } from "./deps.ts";

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
  /** Calls that issue the chunks of which nothing is issued, each with its codes. */
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
  const callOfChunk = (chunk: number) =>
    encodeFunctionData({
      abi: abis.vouchers,
      functionName: "issueChunks",
      args: [certificate, chunk, 1, startDay, expiryDay, batchId],
    });
  const householdsOf = async (chunk: number) => {
    const packed = chunkOf(await deps.certificates.leavesOf(certificate), chunk);
    return Array.from({ length: packed.length / LEAF_BYTES }, (_, i) => leafAt(packed, i)?.household ?? 0);
  };
  return {
    async callsOfChunks(first, count) {
      const calls: Hex[] = [];
      for (let chunk = first; chunk < first + count; chunk++) {
        // A chunk that this operation has planned before stays in its transaction, which is sent once.
        const firstLeaf = chunk * CHUNK_LEAVES;
        let root = await deps.codes.madeRoot(set.codeSetId, firstLeaf);
        if (root === null) {
          const households = await householdsOf(chunk);
          if (!(await isUntouched(deps, certificate, firstLeaf, households.length))) continue;
          root = await deps.codes.makeTree(set, firstLeaf, households);
        }
        calls.push(callOfChunk(chunk), commitCall(root));
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

/** Whether none of a chunk's vouchers is issued: the ledger skips any other chunk, and would refuse its codes. */
async function isUntouched({ chain }: BatchDeps, certificate: number, firstLeaf: number, count: number) {
  const leaves = Array.from({ length: count }, (_, i) => firstLeaf + i);
  const flags = await Promise.all(
    leaves.map((leaf) => chain.read("certificates", "isLeafIssued", [certificate, leaf])),
  );
  return !flags.includes(true);
}
