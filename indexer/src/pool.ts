import { carbonMove, contractName, eventLog, pool, poolDay, swap } from "ponder:schema";
import { hexToString } from "viem";
import { activityRow, sequenceOf } from "../lib/activity.ts";
import { claimOfBurned, claimOfSale } from "../lib/carbon.ts";
import { dayOf } from "../lib/days.ts";
import { initialDay, initialPool } from "../lib/initial.ts";
import { announce, noticeOf } from "../lib/notice.ts";
import { on } from "../lib/on.ts";
import { reservesAfter } from "../lib/reserves.ts";
import { swapRow } from "../lib/swaps.ts";

const id = "pool";

const firstOfDay = ({ block }: { block: { timestamp: bigint } }) => ({ ...initialDay, day: dayOf(block.timestamp) });

on("Pool:CarbonSold", async ({ event, context: { db, contracts } }) => {
  const { supplier, carbonAmount, stablecoinAmount } = event.args;
  const { fee } = await db.update(pool, { id }).set((row) => ({
    carbonReserve: row.carbonReserve + carbonAmount,
    stablecoinReserve: row.stablecoinReserve - stablecoinAmount,
    carbonBought: row.carbonBought + carbonAmount,
    stablecoinPaid: row.stablecoinPaid + stablecoinAmount,
    purchases: row.purchases + 1,
  }));
  await db
    .insert(poolDay)
    .values({ ...firstOfDay(event), carbonBought: carbonAmount, stablecoinPaid: stablecoinAmount, purchases: 1 })
    .onConflictDoUpdate((row) => ({
      carbonBought: row.carbonBought + carbonAmount,
      stablecoinPaid: row.stablecoinPaid + stablecoinAmount,
      purchases: row.purchases + 1,
    }));
  // Its CARBON has just come in.
  const sequence = sequenceOf(event);
  const move = await db.find(carbonMove, { sequence: sequence - 1n });
  const isItsOwn = move?.toAccount === contracts.Pool.address?.toLowerCase() && move?.amount === carbonAmount;
  const arrival = isItsOwn && move !== null ? move : undefined;
  await db.insert(swap).values({
    ...swapRow(event, fee),
    side: "sell",
    supplierIndex: supplier,
    claimId: arrival === undefined ? claimOfBurned(await noticeOf(db, event)) : claimOfSale(arrival),
    moveSequence: arrival?.sequence ?? null,
  });
  if (arrival !== undefined) {
    const kind = arrival.kind === "release" ? "release" : "sale";
    await db.update(carbonMove, { sequence: arrival.sequence }).set({ kind, swapSequence: sequence });
  }
  await db.insert(eventLog).values(activityRow("CarbonSold", event, { supplierIndex: supplier }));
});

on("Pool:CarbonBurned", async ({ event, context: { db } }) => {
  const { supplier, carbonAmount } = event.args;
  // CarbonSold follows and counts it in.
  await db.update(pool, { id }).set((row) => ({ carbonReserve: row.carbonReserve - carbonAmount }));
  const { redemptionId } = await noticeOf(db, event);
  await announce(db, event, "burned-claim", { redemptionId });
  await db.insert(eventLog).values(activityRow("CarbonBurned", event, { supplierIndex: supplier }));
});

on("Pool:CarbonBought", async ({ event, context: { db } }) => {
  const { implementer, carbonAmount, stablecoinAmount } = event.args;
  const { fee } = await db.update(pool, { id }).set((row) => ({
    carbonReserve: row.carbonReserve - carbonAmount,
    stablecoinReserve: row.stablecoinReserve + stablecoinAmount,
    carbonSold: row.carbonSold + carbonAmount,
    stablecoinReceived: row.stablecoinReceived + stablecoinAmount,
    sales: row.sales + 1,
  }));
  await db
    .insert(poolDay)
    .values({ ...firstOfDay(event), carbonSold: carbonAmount, stablecoinReceived: stablecoinAmount, sales: 1 })
    .onConflictDoUpdate((row) => ({
      carbonSold: row.carbonSold + carbonAmount,
      stablecoinReceived: row.stablecoinReceived + stablecoinAmount,
      sales: row.sales + 1,
    }));
  await db.insert(swap).values({ ...swapRow(event, fee), side: "buy", implementerIndex: implementer });
  await announce(db, event, "purchase", { swapSequence: sequenceOf(event) });
  await db.insert(eventLog).values(activityRow("CarbonBought", event, { implementerIndex: implementer }));
});

on("Pool:OrderSettled", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("OrderSettled", event, {}));
});

on("Pool:OrderCancelled", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("OrderCancelled", event, {}));
});

on("Pool:FeeChanged", async ({ event, context: { db } }) => {
  const { fee } = event.args;
  await db.update(pool, { id }).set({ fee });
  await db.insert(eventLog).values(activityRow("FeeChanged", event, {}));
});

on("Pool:PriceChanged", async ({ event, context: { db } }) => {
  const { price } = event.args;
  await db
    .insert(pool)
    .values({ ...initialPool, price })
    .onConflictDoUpdate({ price });
  await db.insert(eventLog).values(activityRow("PriceChanged", event, {}));
});

on("Pool:CapsChanged", async ({ event, context: { db } }) => {
  const { perTransaction, perWindow, perDay, lifetime, perSupplierDay } = event.args.caps;
  const caps = {
    capPerTransaction: perTransaction,
    capPerWindow: perWindow,
    capPerDay: perDay,
    capLifetime: lifetime,
    capPerSupplierDay: perSupplierDay,
  };
  await db
    .insert(pool)
    .values({ ...initialPool, ...caps })
    .onConflictDoUpdate(caps);
  await db.insert(eventLog).values(activityRow("CapsChanged", event, {}));
});

on("Pool:PauseChanged", async ({ event, context: { db } }) => {
  await db.update(pool, { id }).set({ paused: event.args.paused });
  await db.insert(eventLog).values(activityRow("PauseChanged", event, {}));
});

on("Pool:ReserveReceived", async ({ event, context: { db, contracts } }) => {
  const { token, amount } = event.args;
  const counted = { carbon: contracts.Carbon.address, stablecoin: contracts.Stablecoin.address };
  await db.update(pool, { id }).set((row) => reservesAfter(row, token, amount, counted));
  await db.insert(eventLog).values(activityRow("ReserveReceived", event, {}));
});

on("Pool:TreasuryWithdrawn", async ({ event, context: { db, contracts } }) => {
  const { token, amount } = event.args;
  const counted = { carbon: contracts.Carbon.address, stablecoin: contracts.Stablecoin.address };
  await db.update(pool, { id }).set((row) => reservesAfter(row, token, -amount, counted));
  await db.insert(eventLog).values(activityRow("TreasuryWithdrawn", event, {}));
});

on("Directory:ContractNamed", async ({ event, context: { db } }) => {
  const { name: packed, target, previous } = event.args;
  const named = { target, previous, sequence: sequenceOf(event) };
  const name = hexToString(packed, { size: 32 });
  await db
    .insert(contractName)
    .values({ name, ...named })
    .onConflictDoUpdate(named);
  await db.insert(eventLog).values(activityRow("ContractNamed", event, { data: { name, target, previous } }));
});
