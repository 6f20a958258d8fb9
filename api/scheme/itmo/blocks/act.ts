import {
  type Call,
  type DecodedEvent,
  eventsIn,
  type MinedCall,
  once,
  submitCall,
} from "../../../platform/chain/index.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { requireRegulator } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import { findBlock, type KnownBlock, serializeAction, serializeBlock, withTerms } from "./blocks.ts";
import type { ItmoActionDone, ItmoBlock } from "./schemas.ts";

type LifeCall = {
  [F in "transfer" | "useForNdc" | "useForOimp" | "cancel"]: Pick<Call<"itmo", F>, "functionName" | "args" | "purpose">;
}["transfer" | "useForNdc" | "useForOimp" | "cancel"];

/**
 * Submit the registrar's action on a block and return its effect. `check` builds the call or throws.
 * @throws AppError FORBIDDEN, NOT_FOUND, the errors of `check`, the error that a contract's revert maps to
 */
export async function actOn(
  deps: ItmoDeps,
  ctx: RequestContext,
  blockId: string,
  check: (known: KnownBlock) => Promise<LifeCall>,
): Promise<ItmoActionDone> {
  requireRegulator(ctx.actor);
  const mined = await once(deps, ctx, async () => {
    const call = await check(await findBlock(deps, blockId));
    return submitCall(deps, ctx, { sender: "registrar", contract: "itmo", ...call } as Call<"itmo", "transfer">);
  });
  return serializeDone(deps, mined);
}

/** List a transaction's actions, and the blocks that it changed or split off. */
async function serializeDone(deps: ItmoDeps, mined: MinedCall): Promise<ItmoActionDone> {
  const events = actionsIn(deps.chain.addresses.itmo, mined);
  const id = events[0]?.args.blockId ?? 0n;
  const at = new Date(Number(mined.blockTimestamp) * 1000);
  const splits = eventsIn(mined.logs, {
    contract: "itmo",
    address: deps.chain.addresses.itmo,
    eventName: "BlockSplit",
  });
  const others = new Set(splits.flatMap(({ args }) => [args.blockId, args.rest]).filter((each) => each !== id));
  const shown = [id, ...[...others].sort((a, b) => (a < b ? -1 : 1))].map((each) => blockNow(deps, each));
  const [block, ...rest] = await Promise.all(shown);
  if (block === undefined) throw new Error("The transaction acted on no block.");
  return {
    block,
    actions: events.map(({ args }) => serializeAction(args, { ...mined, at })),
    rest,
    transactionHash: mined.transactionHash,
    blockNumber: Number(mined.blockNumber),
  };
}

export function actionsIn(
  address: `0x${string}`,
  mined: Pick<MinedCall, "logs">,
): DecodedEvent<"itmo", "ItmoAction">[] {
  return eventsIn(mined.logs, { contract: "itmo", address, eventName: "ItmoAction" });
}

async function blockNow(deps: ItmoDeps, id: bigint): Promise<ItmoBlock> {
  const block = await deps.itmo.ledger.blockState(id);
  if (block === null) throw new Error(`The chain knows no block ${id}.`);
  return serializeBlock(deps, await withTerms(deps, block));
}
