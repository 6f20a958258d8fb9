import { zeroAddress } from "viem";
import { decodeClaimId, decodeConversionId, encodeRedemptionId, encodeVoucherId } from "../../../wire/src/ids.ts";
import type { TraceEnd as End } from "../../../wire/src/reports.ts";
import type { Move } from "./flow.ts";
import type { Action, Block, Conversion, Swap } from "./itmo-trace.ts";
import type { Link } from "./links.ts";

/** Name the account of a movement: a conversion or claim by its id, the pool, or an address. */
function endOf(account: string, pool: string): End {
  if (decodeConversionId(account).ok) return { type: "conversion", id: account };
  if (decodeClaimId(account).ok) return { type: "claim", id: account };
  return { type: account === pool ? "pool" : "account", id: account };
}

function sourceOf(move: Move, pool: string): End {
  if (move.kind !== "release") return endOf(move.fromAccount, pool);
  if (move.redemptionId !== null) return { type: "redemption", id: encodeRedemptionId(move.redemptionId) };
  return { type: "voucher", id: encodeVoucherId(move.voucherId ?? 0n) };
}

/** Link the movements of CARBON from escrow on, each with its transaction; a swap is between its two sides. */
export function flowLinks(moves: Move[], swaps: Swap[], pool: string): Link[] {
  const bySequence = new Map(swaps.map((row) => [row.sequence, row]));
  return moves.flatMap((move): Link[] => {
    // CARBON that is burned for ITMOs continues as a block, see `itmoLinks`.
    if (move.kind === "conversion") return [];
    const { transactionHash } = move;
    const from = sourceOf(move, pool);
    const burned: End = { type: "account", id: zeroAddress };
    const to = move.toAccount === zeroAddress ? burned : endOf(move.toAccount, pool);
    const between = move.swapSequence === null ? undefined : bySequence.get(move.swapSequence);
    if (between === undefined) return [{ from, to, relation: move.kind, transactionHash }];
    const swap: End = { type: "swap", id: between.publicId };
    return [
      { from, to: swap, relation: between.side === "sell" ? "sold" : "bought", transactionHash },
      { from: swap, to, relation: move.kind, transactionHash },
    ];
  });
}

/** Link conversions, their blocks and every action on them. An action's id is its block and its position in the chain. */
export function itmoLinks(conversions: Conversion[], blocks: Block[], actions: Action[]): Link[] {
  const byIndex = new Map(conversions.map((row) => [row.index, row]));
  const byId = new Map(blocks.map((row) => [row.id, row]));
  const links: Link[] = [];
  for (const row of blocks) {
    const to: End = { type: "itmo-block", id: row.publicId };
    const parent = row.splitFromId === null ? undefined : byId.get(row.splitFromId);
    const minted = byIndex.get(row.conversionIndex);
    if (parent !== undefined) {
      const from: End = { type: "itmo-block", id: parent.publicId };
      links.push({ from, to, relation: "split", transactionHash: row.transactionHash });
    } else if (minted?.endTransactionHash != null) {
      const from: End = { type: "conversion", id: minted.publicId };
      links.push({ from, to, relation: "minted", transactionHash: minted.endTransactionHash });
    }
  }
  for (const row of actions) {
    const block = byId.get(row.blockId);
    if (block === undefined) continue;
    const from: End = { type: "itmo-block", id: block.publicId };
    const to: End = { type: "action", id: `${block.publicId}/${row.sequence}` };
    links.push({ from, to, relation: row.subtype ?? row.action, transactionHash: row.transactionHash });
  }
  return links;
}
