import type { Context } from "ponder:registry";
import { authorizationChange, eventLog, itmoAuthorization } from "ponder:schema";
import { activityRow, type ChainEvent, sequenceOf } from "../lib/activity.ts";
import { on } from "../lib/on.ts";
import { itmoPurposes, wordAt } from "../schema/itmo-words.ts";

const SECONDS_PER_DAY = 86_400n;

type Left = { authorization: number; purpose: number; quantity: bigint; finalFrom: number; reason: string };
type Kind = (typeof authorizationChange.$inferInsert)["kind"];

/** Update what is left of an authorization, and add a row that says why. A first final day of 0 means everything. */
async function record(db: Context["db"], event: ChainEvent & { args: Left }, kind: Kind): Promise<void> {
  const { authorization: index, purpose, quantity, finalFrom, reason } = event.args;
  const isWhole = finalFrom === 0;
  const left = {
    leftPurpose: isWhole ? null : wordAt(itmoPurposes, purpose),
    leftQuantity: isWhole ? null : quantity,
    reductionFinalAt: isWhole ? null : BigInt(finalFrom) * SECONDS_PER_DAY,
  };
  await db.update(itmoAuthorization, { index }).set(left);
  await db.insert(authorizationChange).values({
    sequence: sequenceOf(event),
    authorizationIndex: index,
    kind,
    purpose: left.leftPurpose,
    quantity: left.leftQuantity,
    finalAt: left.reductionFinalAt,
    reason,
    changedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
}

on("Authorizations:AuthorizationReduced", async ({ event, context: { db } }) => {
  const { authorization: authorizationIndex, purpose } = event.args;
  await record(db, event, purpose === 0 ? "revocation" : "reduction");
  await db.insert(eventLog).values(activityRow("AuthorizationReduced", event, { authorizationIndex }));
});

on("Authorizations:ReductionVetoed", async ({ event, context: { db } }) => {
  const { authorization: authorizationIndex } = event.args;
  await record(db, event, "veto");
  await db.insert(eventLog).values(activityRow("ReductionVetoed", event, { authorizationIndex }));
});
