import type { Context } from "ponder:registry";
import {
  carbonAccount,
  carbonMove,
  carbonNotice,
  certificate,
  conversionLot,
  itmoConversion,
  itmoLot,
  redemption,
  swap,
  voucher,
} from "ponder:schema";
import { sequenceOf, voucherOf } from "../lib/activity.ts";
import { type Places, passingOf, type Step, stepOf } from "../lib/carbon.ts";
import { insertMany } from "../lib/insert.ts";
import { releasesBehind } from "../lib/lots.ts";
import { noticeOf } from "../lib/notice.ts";
import { on } from "../lib/on.ts";

type Db = Context["db"];

function placesOf(contracts: Context["contracts"]): Places {
  const place = (name: "Vouchers" | "Pool" | "Claims" | "Itmo") => String(contracts[name].address).toLowerCase();
  return { vouchers: place("Vouchers"), pool: place("Pool"), claims: place("Claims"), itmo: place("Itmo") };
}

/** Whose CARBON leaves escrow. */
async function sourceOf(db: Db, { kind, about }: Step) {
  if (kind !== "release" && kind !== "return") return {};
  const { redemptionId } = about;
  if (redemptionId != null) {
    const spent = await db.find(redemption, { id: redemptionId });
    return { voucherId: voucherOf(redemptionId), certificateIndex: spent?.certificateIndex ?? null };
  }
  const rest = about.voucherId == null ? null : await db.find(voucher, { id: about.voucherId });
  return { certificateIndex: rest?.certificateIndex ?? null };
}

/** What the claims contract passes on within a claim's payment comes from that claim, as long as there is some. */
async function senderOf(db: Db, step: Step, value: bigint, claims: string, redemptionId: bigint | null) {
  if (step.fromAccount !== claims || redemptionId === null) return step.fromAccount;
  const account = passingOf({ redemptionId });
  const held = await db.find(carbonAccount, { account });
  return held !== null && held.received - held.sent >= value ? account : step.fromAccount;
}

/** Count an amount into an account; where it begins in what the account sent or received. */
async function count(db: Db, account: string, side: "sent" | "received", value: bigint): Promise<bigint> {
  const row = await db
    .insert(carbonAccount)
    .values({ account, received: 0n, sent: 0n, [side]: value })
    .onConflictDoUpdate((before) => ({ [side]: before[side] + value }));
  return row[side] - value;
}

on("Carbon:Transfer", async ({ event, context: { db, contracts } }) => {
  const { value } = event.args;
  // Anyone may move nothing, even out of escrow.
  if (value === 0n) return;
  const places = placesOf(contracts);
  const notice = await noticeOf(db, event);
  const step = stepOf(event.args, places, notice);
  const fromAccount = await senderOf(db, step, value, places.claims, notice.redemptionId);
  const sequence = sequenceOf(event);
  const source = await sourceOf(db, step);
  await db.insert(carbonMove).values({
    ...step.about,
    ...source,
    certificateOffset: step.kind === "release" ? await countReleased(db, source.certificateIndex, value) : null,
    ...(notice.kind === "revocation" ? { voucherId: null } : {}),
    sequence,
    kind: step.kind,
    fromAccount,
    toAccount: step.toAccount,
    amount: value,
    fromOffset: await count(db, fromAccount, "sent", value),
    toOffset: await count(db, step.toAccount, "received", value),
    blockNumber: event.block.number,
    movedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  // Its ids stay the same: a set-off continues from the claims contract. A claim's set-off and its rest leave escrow one after
  // the other.
  const isOver = step.isAnnounced && !(notice.kind === "release" && step.about.redemptionId !== null);
  if (isOver) await db.update(carbonNotice, { id: "carbon" }).set({ kind: "none" });
  const { swapSequence, conversionIndex } = step.about;
  if (step.kind === "purchase" && swapSequence != null) {
    await db.update(swap, { sequence: swapSequence }).set({ moveSequence: sequence });
  }
  if (step.kind === "conversion" && conversionIndex != null) await recordLots(db, conversionIndex);
});

/** Add a release from escrow to its certificate's total. @returns the total before */
async function countReleased(db: Db, index: number | null | undefined, value: bigint): Promise<bigint | null> {
  if (index == null) return null;
  const row = await db.update(certificate, { index }).set(({ released }) => ({ released: released + value }));
  return row.released - value;
}

/** Record which releases a finalised conversion used: of each certificate, the earliest that are left. */
async function recordLots(db: Db, index: number): Promise<void> {
  const row = await db.find(itmoConversion, { index });
  if (row?.firstId == null) throw new Error(`Conversion ${index} is burned without a block`);
  const { firstId } = row;
  for (let position = 0; ; position += 1) {
    const lot = await db.find(conversionLot, { conversionIndex: index, position });
    if (lot === null) return;
    const { certificateIndex, offset, amount } = lot;
    const { converted } = await db
      .update(certificate, { index: certificateIndex })
      .set((before) => ({ converted: before.converted + amount }));
    const certificateOffset = converted - amount;
    await db.update(conversionLot, { conversionIndex: index, position }).set({ certificateOffset });
    const taken = { conversionIndex: index, firstId, certificateIndex, offset, amount, certificateOffset };
    for await (const lots of releasesBehind(db.sql, taken)) await insertMany(db, itmoLot, lots);
  }
}
