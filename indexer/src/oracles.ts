import { eventLog, oracle, oracleClaim, oracleDeposit } from "ponder:schema";
import { zeroAddress } from "viem";
import { storable } from "../../wire/src/chain-values.ts";
import { activityRow, describe } from "../lib/activity.ts";
import { on } from "../lib/on.ts";

on("Oracles:OracleRegistered", async ({ event, context: { db } }) => {
  const { oracle: id, owner } = event.args;
  const { freeMessages, allowance, ...registration } = storable(event.args.registration);
  await db.insert(oracle).values({
    id,
    owner,
    pendingOwner: null,
    ...registration,
    freeMessages: BigInt(freeMessages),
    allowance: BigInt(allowance),
    settledAmount: 0n,
    registeredAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  const data = describe({ oracle: id, owner, registration: { ...registration, freeMessages, allowance } });
  await db.insert(eventLog).values(activityRow("OracleRegistered", event, { data }));
});

on("Oracles:OracleUrlsChanged", async ({ event, context: { db } }) => {
  const { oracle: id, ...urls } = storable(event.args);
  await db.update(oracle, { id }).set(urls);
  await db
    .insert(eventLog)
    .values(activityRow("OracleUrlsChanged", event, { data: describe({ oracle: id, ...urls }) }));
});

on("Oracles:OracleTermsChanged", async ({ event, context: { db } }) => {
  const { oracle: id, price, freeMessages, allowance } = event.args;
  const terms = { price, freeMessages: BigInt(freeMessages), allowance: BigInt(allowance) };
  await db.update(oracle, { id }).set(terms);
  await db.insert(eventLog).values(activityRow("OracleTermsChanged", event, {}));
});

on("Oracles:OracleAccountsChanged", async ({ event, context: { db } }) => {
  const { oracle: id, settler, payee } = event.args;
  await db.update(oracle, { id }).set({ settler, payee });
  await db.insert(eventLog).values(activityRow("OracleAccountsChanged", event, {}));
});

on("Oracles:OracleOwnershipOffered", async ({ event, context: { db } }) => {
  const { oracle: id, pendingOwner } = event.args;
  await db.update(oracle, { id }).set({ pendingOwner: pendingOwner === zeroAddress ? null : pendingOwner });
  await db.insert(eventLog).values(activityRow("OracleOwnershipOffered", event, {}));
});

on("Oracles:OracleOwnershipTransferred", async ({ event, context: { db } }) => {
  const { oracle: id, to: owner } = event.args;
  await db.update(oracle, { id }).set({ owner, pendingOwner: null });
  await db.insert(eventLog).values(activityRow("OracleOwnershipTransferred", event, {}));
});

on("Oracles:OracleContracted", async ({ event, context: { db } }) => {
  const { oracle: oracleId, payer, user, amount, acceptedPrice, balance } = event.args;
  const nothing = { withdrawing: 0n, withdrawableAt: 0n, settledAmount: 0n, withdrawnAmount: 0n };
  await db
    .insert(oracleDeposit)
    .values({
      oracleId,
      payer,
      user,
      balance,
      acceptedPrice,
      ...nothing,
      depositedAmount: amount,
      contractedAt: event.block.timestamp,
    })
    .onConflictDoUpdate((row) => ({ user, balance, acceptedPrice, depositedAmount: row.depositedAmount + amount }));
  await db.insert(eventLog).values(activityRow("OracleContracted", event, {}));
});

on("Oracles:WithdrawalRequested", async ({ event, context: { db } }) => {
  const { oracle: oracleId, payer, amount: withdrawing, withdrawableAt } = event.args;
  // Nothing is there of who asks nothing back of nothing.
  const found = await db.find(oracleDeposit, { oracleId, payer });
  if (found) await db.update(oracleDeposit, { oracleId, payer }).set({ withdrawing, withdrawableAt });
  await db.insert(eventLog).values(activityRow("WithdrawalRequested", event, {}));
});

on("Oracles:DepositWithdrawn", async ({ event, context: { db } }) => {
  const { oracle: oracleId, payer, amount, balance } = event.args;
  await db.update(oracleDeposit, { oracleId, payer }).set((row) => ({
    balance,
    withdrawing: 0n,
    withdrawableAt: 0n,
    withdrawnAmount: row.withdrawnAmount + amount,
  }));
  await db.insert(eventLog).values(activityRow("DepositWithdrawn", event, {}));
});

on("Oracles:ClaimPaid", async ({ event, context: { db } }) => {
  const { oracle: oracleId, claimId, payer, payee, amount } = event.args;
  const { number: blockNumber, timestamp: paidAt } = event.block;
  const facts = { oracleId, claimId, payer, payee, amount, blockNumber, paidAt };
  await db.insert(oracleClaim).values({ ...facts, transactionHash: event.transaction.hash });
  await db
    .update(oracleDeposit, { oracleId, payer })
    .set((row) => ({ balance: row.balance - amount, settledAmount: row.settledAmount + amount }));
  await db.update(oracle, { id: oracleId }).set((row) => ({ settledAmount: row.settledAmount + amount }));
  await db.insert(eventLog).values(activityRow("ClaimPaid", event, {}));
});

on("Oracles:ClaimRefused", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("ClaimRefused", event, {}));
});
