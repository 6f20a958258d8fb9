import type { Address, Hex } from "viem";
import type { SafeTx } from "../../../wire/src/typed-data.ts";
import type { CouncilContext } from "./council-state.ts";
import { type Described, describeDecision } from "./describe/describe-decision.ts";
import { type CouncilCall, encodeSchedule, newOperation, type Operation } from "./operations.ts";
import { safeTxOf } from "./safe-tx.ts";
import type { ProposalRow } from "./tables.ts";

type Proposed = { kind: "operation" | "direct"; calls: CouncilCall[]; salt: Hex; delay: bigint };

export function callsOf({ calls }: Pick<ProposalRow, "calls">): CouncilCall[] {
  return calls.map(({ target, value, data }) => ({
    target: target as Address,
    value: BigInt(value),
    data: data as Hex,
  }));
}

/** Build the operation that a stored proposal schedules; null when the Safe acts by itself. */
export function operationOf(row: Pick<ProposalRow, "kind" | "calls" | "salt" | "delay">): Operation | null {
  return row.kind === "direct" ? null : newOperation(callsOf(row), { salt: row.salt as Hex, delay: row.delay });
}

/** Build the Safe's transaction that makes a proposal a decision. */
export function safeTxFor({ kind, calls, salt, delay }: Proposed, nonce: bigint, timelock: Address): SafeTx {
  if (kind === "operation") {
    const data = encodeSchedule(newOperation(calls, { salt, delay }));
    return safeTxOf({ target: timelock, value: 0n, data }, nonce);
  }
  const [call, ...more] = calls;
  if (call === undefined || more.length > 0) throw new Error("A direct decision is one call.");
  return safeTxOf(call, nonce);
}

/** Build the Safe's transaction of a stored proposal for one number of the Safe, and describe it. */
export function decisionOf(row: ProposalRow, nonce: bigint, context: CouncilContext): { tx: SafeTx } & Described {
  const proposed = { kind: row.kind, calls: callsOf(row), salt: row.salt as Hex, delay: row.delay };
  const tx = safeTxFor(proposed, nonce, context.contracts.timelock);
  return { tx, ...describeDecision(tx, context) };
}
