import { eventLog, household, implementer, issuer, plan, product, supplier, supplierStatus } from "ponder:schema";
import { activityRow, sequenceOf } from "../lib/activity.ts";
import { insertMany } from "../lib/insert.ts";
import { on } from "../lib/on.ts";
import { registrationOf } from "../lib/registration.ts";
import { setScheme } from "../lib/scheme.ts";
import { partyKind, productStatus, supplierStanding } from "../lib/statuses.ts";

/** Of a household whose account is proposed before its registration, until the same transaction tells it. */
const noHash = `0x${"0".repeat(64)}` as const;
const nothingPending = { pendingAccount: null, pendingFrom: null };

on("Participants:HouseholdsRegistered", async ({ event, context: { db } }) => {
  const { firstHousehold, households } = event.args;
  const sequence = sequenceOf(event);
  const rows = households.map((hash, i) => ({
    index: firstHousehold + i,
    hash,
    account: null,
    ...nothingPending,
    pendingConfirmed: false,
    sequence,
    ...registrationOf(event),
  }));
  // A registration proposes accounts before it tells who was registered: those rows are there already, without their hash.
  const fresh: typeof rows = [];
  for (const row of rows) {
    const isThere = event.log.logIndex > 0 && (await db.find(household, { index: row.index })) !== null;
    if (isThere) await db.update(household, { index: row.index }).set({ hash: row.hash, sequence });
    else fresh.push(row);
  }
  await insertMany(db, household, fresh);
  const data = { firstHousehold, count: households.length };
  await db.insert(eventLog).values(activityRow("HouseholdsRegistered", event, { data }));
});

on("Participants:HouseholdSkipped", async ({ event, context: { db } }) => {
  const subjects = { householdIndex: event.args.household };
  await db.insert(eventLog).values(activityRow("HouseholdSkipped", event, subjects));
});

on("Participants:HouseholdAccountSet", async ({ event, context: { db } }) => {
  const { household: index, account } = event.args;
  await db.update(household, { index }).set({ account, ...nothingPending, pendingConfirmed: false });
  await db.insert(eventLog).values(activityRow("HouseholdAccountSet", event, { householdIndex: index }));
});

on("Participants:AccountProposed", async ({ event, context: { db } }) => {
  const { kind, party: index, account, from } = event.args;
  const pending = { pendingAccount: account, pendingFrom: BigInt(from) };
  const party = partyKind(kind);
  if (party === "household") {
    const told = { ...pending, pendingConfirmed: false };
    const unnamed = { index, hash: noHash, account: null, sequence: sequenceOf(event), ...registrationOf(event) };
    await db
      .insert(household)
      .values({ ...unnamed, ...told })
      .onConflictDoUpdate(told);
  } else if (party === "supplier") await db.update(supplier, { index }).set(pending);
  else await db.update(implementer, { index }).set(pending);
  await db.insert(eventLog).values(activityRow("AccountProposed", event, subjectOf(party, index)));
});

on("Participants:AccountConfirmed", async ({ event, context: { db } }) => {
  const { household: index } = event.args;
  await db.update(household, { index }).set({ pendingConfirmed: true });
  await db.insert(eventLog).values(activityRow("AccountConfirmed", event, { householdIndex: index }));
});

on("Participants:AccountDropped", async ({ event, context: { db } }) => {
  const { kind, party: index } = event.args;
  const party = partyKind(kind);
  if (party === "household") await db.update(household, { index }).set({ ...nothingPending, pendingConfirmed: false });
  else if (party === "supplier") await db.update(supplier, { index }).set(nothingPending);
  else await db.update(implementer, { index }).set(nothingPending);
  await db.insert(eventLog).values(activityRow("AccountDropped", event, subjectOf(party, index)));
});

on("Participants:ImplementerRegistered", async ({ event, context: { db } }) => {
  const { implementer: index, account, did, name } = event.args;
  const standing = { status: "authorised" as const, ...nothingPending };
  const nothingOwed = { debt: 0n, replacement: 0n, repaid: 0n, replaced: 0n };
  await db
    .insert(implementer)
    .values({ index, account, did, name, ...standing, ...nothingOwed, ...registrationOf(event) });
  await db.insert(eventLog).values(activityRow("ImplementerRegistered", event, { implementerIndex: index }));
});

on("Participants:ImplementerStatusChanged", async ({ event, context: { db } }) => {
  const { implementer: index, authorised } = event.args;
  await db.update(implementer, { index }).set({ status: supplierStanding(authorised) });
  await db.insert(eventLog).values(activityRow("ImplementerStatusChanged", event, { implementerIndex: index }));
});

on("Participants:ImplementerAccountChanged", async ({ event, context: { db } }) => {
  const { implementer: index, account } = event.args;
  await db.update(implementer, { index }).set({ account, ...nothingPending });
  await db.insert(eventLog).values(activityRow("ImplementerAccountChanged", event, { implementerIndex: index }));
});

on("Participants:SupplierRegistered", async ({ event, context: { db } }) => {
  const { supplier: index, account, did, name, region } = event.args;
  const status = "authorised" as const;
  const registration = registrationOf(event);
  await db.insert(supplier).values({
    index,
    did,
    name,
    region,
    account,
    status,
    flagged: false,
    debt: 0n,
    ...nothingPending,
    ...registration,
  });
  const { registeredAt: changedAt, transactionHash } = registration;
  await db
    .insert(supplierStatus)
    .values({ sequence: sequenceOf(event), supplierIndex: index, status, reason: "", changedAt, transactionHash });
  await db.insert(eventLog).values(activityRow("SupplierRegistered", event, { supplierIndex: index }));
});

on("Participants:SupplierStatusChanged", async ({ event, context: { db } }) => {
  const { supplier: index, authorised, reason } = event.args;
  const status = supplierStanding(authorised);
  await db.update(supplier, { index }).set({ status });
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  await db
    .insert(supplierStatus)
    .values({ sequence: sequenceOf(event), supplierIndex: index, status, reason, changedAt, transactionHash });
  await db.insert(eventLog).values(activityRow("SupplierStatusChanged", event, { supplierIndex: index }));
});

on("Participants:SupplierFlagChanged", async ({ event, context: { db } }) => {
  const { supplier: index, flagged } = event.args;
  await db.update(supplier, { index }).set({ flagged });
  await db.insert(eventLog).values(activityRow("SupplierFlagChanged", event, { supplierIndex: index }));
});

on("Participants:SupplierAccountChanged", async ({ event, context: { db } }) => {
  const { supplier: index, account } = event.args;
  await db.update(supplier, { index }).set({ account, ...nothingPending });
  await db.insert(eventLog).values(activityRow("SupplierAccountChanged", event, { supplierIndex: index }));
});

on("Participants:ProductRegistered", async ({ event, context: { db } }) => {
  const { product: index, implementer: implementerIndex, status, ...rest } = event.args;
  await db
    .insert(product)
    .values({ ...rest, implementerIndex, index, status: productStatus(status), ...registrationOf(event) });
  const subjects = { productIndex: index, implementerIndex: implementerIndex || null };
  await db.insert(eventLog).values(activityRow("ProductRegistered", event, subjects));
});

on("Participants:ProductStatusChanged", async ({ event, context: { db } }) => {
  const { product: index, status } = event.args;
  await db.update(product, { index }).set({ status: productStatus(status) });
  await db.insert(eventLog).values(activityRow("ProductStatusChanged", event, { productIndex: index }));
});

on("Participants:PlanRegistered", async ({ event, context: { db } }) => {
  const { plan: index, implementer: implementerIndex, registration } = event.args;
  const { implementer: _same, products, trustedIssuers, ...terms } = registration;
  await db.insert(plan).values({
    ...terms,
    index,
    implementerIndex,
    unconsentedCap: BigInt(registration.unconsentedCap),
    productIndexes: [...products],
    trustedIssuers: [...trustedIssuers],
    ...registrationOf(event),
  });
  await db.insert(eventLog).values(activityRow("PlanRegistered", event, { planIndex: index, implementerIndex }));
});

on("Participants:UnconsentedCapChanged", async ({ event, context: { db } }) => {
  const { plan: planIndex, unconsentedCap } = event.args;
  const cap = BigInt(unconsentedCap);
  if (planIndex !== 0) {
    await db.update(plan, { index: planIndex }).set({ unconsentedCap: cap });
  } else {
    await setScheme(db, { defaultUnconsentedCap: cap });
  }
  await db.insert(eventLog).values(activityRow("UnconsentedCapChanged", event, { planIndex }));
});

on("Participants:IssuerTrusted", async ({ event, context: { db } }) => {
  const { issuerHash: hash, did, credentialTypes, validFrom, validUntil } = event.args;
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  const latest = { validFrom, validUntil, changedAt, transactionHash };
  const types = [...credentialTypes];
  // A period that is over is followed by another, for the types given then alone.
  const isOver = (row: { validUntil: bigint }) => row.validUntil !== 0n && row.validUntil < changedAt;
  await db
    .insert(issuer)
    .values({ hash, did, credentialTypes: types, ...latest })
    .onConflictDoUpdate((row) => ({
      ...latest,
      credentialTypes: isOver(row) ? types : [...new Set([...row.credentialTypes, ...types])],
    }));
  await db.insert(eventLog).values(activityRow("IssuerTrusted", event, {}));
});

on("Participants:IssuerTrustEnded", async ({ event, context: { db } }) => {
  const { issuerHash: hash, validUntil } = event.args;
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  await db.update(issuer, { hash }).set({ validUntil, changedAt, transactionHash });
  await db.insert(eventLog).values(activityRow("IssuerTrustEnded", event, {}));
});

function subjectOf(party: ReturnType<typeof partyKind>, index: number) {
  if (party === "household") return { householdIndex: index };
  return party === "supplier" ? { supplierIndex: index } : { implementerIndex: index };
}
