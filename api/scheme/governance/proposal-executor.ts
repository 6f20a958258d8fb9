import type { Address, Hex } from "viem";
import { councilAbi } from "../../../deployments/abi/council.ts";
import { type Chain, type MinedCall, PendingTransactionError, simulate } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import { countingApprovals, quorumOf } from "./approvals.ts";
import type { CouncilNow } from "./council-reader.ts";
import { decisionOf } from "./decision.ts";
import { encodeExecTransaction, packSignatures } from "./safe-tx.ts";
import { verifySigner } from "./signatures.ts";
import { joinProposal } from "./status.ts";
import type { GovernanceStore, StoredProposal } from "./store.ts";

export type ProposalExecutorOptions = {
  chain: Chain;
  store: GovernanceStore;
  read: () => Promise<CouncilNow>;
  log: Log;
  workers: Workers;
};

/** How often to look for proposals that can be executed, in milliseconds. */
const everyMs = 10_000;

/**
 * Executes proposals that enough members have signed, in the order of the Safe's numbers. It needs no trust: the Safe
 * checks the signatures. The outbox sends each of the Safe's transactions once, even if several processes submit it.
 */
export class ProposalExecutor {
  readonly #options: ProposalExecutorOptions;
  readonly #looking: Worker;

  constructor(options: ProposalExecutorOptions) {
    this.#options = options;
    this.#looking = options.workers.add({
      name: "council-proposals",
      everyMs,
      run: async () => void (await this.executeReady()),
    });
  }

  /** Execute what an earlier process left, and then check periodically. */
  start(): void {
    this.#looking.start();
  }

  async close(): Promise<void> {
    await this.#looking.close();
  }

  /**
   * Execute every proposal that is fully signed and next in order. One execution may make the next one possible.
   * @returns the error of each proposal that the chain refused, by its id
   */
  async executeReady(): Promise<Map<string, AppError>> {
    const { read, log } = this.#options;
    const problems = new Map<string, AppError>();
    const rows = await this.#candidates();
    while (rows.length > 0) {
      const council = await read();
      const next = rows.find((row) => !problems.has(row.id) && isDue(row, council));
      if (next === undefined) break;
      try {
        await this.#execute(next, council);
        rows.splice(rows.indexOf(next), 1);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        log.warn({ proposal: next.id, err: error }, "the chain does not take a decision of the council");
        problems.set(next.id, error);
      }
    }
    return problems;
  }

  /** List open proposals that a second member approved for a number that the Safe has not passed. */
  async #candidates(): Promise<StoredProposal[]> {
    const { chain, store } = this.#options;
    const now = new Date(Number(await chain.now()) * 1000);
    const rows = (await store.collecting(now)).filter(({ approvals }) => approvals.length >= 2);
    if (rows.length === 0) return [];
    const address = chain.contracts.council;
    const next = await chain.client.readContract({ address, abi: councilAbi, functionName: "nonce" });
    return rows.filter(({ approvals }) => approvals.some(({ nonce }) => nonce >= next));
  }

  async #execute(row: StoredProposal, { context }: CouncilNow): Promise<void> {
    const { chain } = this.#options;
    const { tx, statement } = decisionOf(row, context.state.nonce, context);
    const idempotencyKey = `council:${statement.safeTxHash}`;
    const counting = countingApprovals(row.approvals, tx.nonce, context.state);
    const signatures = await Promise.all(
      counting.map(async ({ signer, signature }) => {
        const at = { signer: signer as Address, signature: signature as Hex };
        const verified = await verifySigner(chain.client, { ...at, hash: statement.safeTxHash });
        return verified === null ? [] : [{ ...at, isContract: verified.isContract }];
      }),
    );
    const data = encodeExecTransaction(tx, packSignatures(signatures.flat()));
    const to = context.contracts.council;
    try {
      await sendOnce(chain, {
        to,
        data,
        contract: "council",
        functionName: "execTransaction",
        purpose: "council.carry",
        idempotencyKey,
      });
    } catch (error) {
      // The outbox continues to send the transaction; its result is read from the chain later.
      if (!(error instanceof PendingTransactionError)) throw error;
    }
  }
}

/** Whether a proposal has its approvals for the Safe's next number. */
function isDue(row: StoredProposal, { context, history, now }: CouncilNow): boolean {
  if (joinProposal(row.id as Hex, row, history, now).status !== "collecting") return false;
  return countingApprovals(row.approvals, context.state.nonce, context.state).length >= quorumOf(context.state);
}

export type OneCall = {
  to: Address;
  data: Hex;
  contract: string;
  functionName: string;
  purpose: string;
  /** Permanent name of the call: two processes with the same key send it once. */
  idempotencyKey: string;
};

/**
 * Send a call from the relayer's account, once for its idempotency key, and wait for the block.
 * @throws AppError with the reason of a refusal; PendingTransactionError when the block does not come in time
 */
export async function sendOnce(chain: Chain, call: OneCall): Promise<MinedCall> {
  const { outbox, senders } = chain;
  const { idempotencyKey, ...prepared } = call;
  const account = senders.operator;
  return await outbox.once(idempotencyKey, async () => {
    const gas = await simulate(chain, { from: account.address, to: call.to, data: call.data });
    const row = await outbox.store({ ...prepared, account, gas, parts: [{ idempotencyKey, position: 0 }] });
    return await outbox.deliver(row);
  });
}
