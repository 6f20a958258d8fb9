import { ponder } from "ponder:registry";
import { eventLog, household, implementer, issuer, plan, product, supplier, supplierStatus } from "ponder:schema";
import { activityRow, sequenceOf } from "../lib/activity.ts";
import { insertMany } from "../lib/insert.ts";
import { registrationOf } from "../lib/registration.ts";
import { productStatus, supplierStanding } from "../lib/statuses.ts";

ponder.on("Participants:HouseholdsRegistered", async ({ event, context: { db } }) => {
  const { firstHousehold, households } = event.args;
  const sequence = sequenceOf(event);
  const rows = households.map((hash, i) => ({
    index: firstHousehold + i,
    hash,
    account: null,
    sequence,
    ...registrationOf(event),
  }));
  await insertMany(db, household, rows);
  const data = { firstHousehold, count: households.length };
  await db.insert(eventLog).values(activityRow("HouseholdsRegistered", event, { data }));
});

ponder.on("Participants:HouseholdSkipped", async ({ event, context: { db } }) => {
  const subjects = { householdIndex: event.args.household };
  await db.insert(eventLog).values(activityRow("HouseholdSkipped", event, subjects));
});

ponder.on("Participants:HouseholdAccountSet", async ({ event, context: { db } }) => {
  const { household: index, account } = event.args;
  await db.update(household, { index }).set({ account });
  await db.insert(eventLog).values(activityRow("HouseholdAccountSet", event, { householdIndex: index }));
});

ponder.on("Participants:ImplementerRegistered", async ({ event, context: { db } }) => {
  const { implementer: index, account, did, name } = event.args;
  await db.insert(implementer).values({ index, account, did, name, ...registrationOf(event) });
  await db.insert(eventLog).values(activityRow("ImplementerRegistered", event, { implementerIndex: index }));
});

ponder.on("Participants:SupplierRegistered", async ({ event, context: { db } }) => {
  const { supplier: index, account, did, name, region } = event.args;
  const status = "authorised" as const;
  const registration = registrationOf(event);
  await db
    .insert(supplier)
    .values({ index, did, name, region, account, status, flagged: false, debt: 0n, ...registration });
  const { registeredAt: changedAt, transactionHash } = registration;
  await db
    .insert(supplierStatus)
    .values({ sequence: sequenceOf(event), supplierIndex: index, status, reason: "", changedAt, transactionHash });
  await db.insert(eventLog).values(activityRow("SupplierRegistered", event, { supplierIndex: index }));
});

ponder.on("Participants:SupplierStatusChanged", async ({ event, context: { db } }) => {
  const { supplier: index, authorised, reason } = event.args;
  const status = supplierStanding(authorised);
  await db.update(supplier, { index }).set({ status });
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  await db
    .insert(supplierStatus)
    .values({ sequence: sequenceOf(event), supplierIndex: index, status, reason, changedAt, transactionHash });
  await db.insert(eventLog).values(activityRow("SupplierStatusChanged", event, { supplierIndex: index }));
});

ponder.on("Participants:SupplierFlagChanged", async ({ event, context: { db } }) => {
  const { supplier: index, flagged } = event.args;
  await db.update(supplier, { index }).set({ flagged });
  await db.insert(eventLog).values(activityRow("SupplierFlagChanged", event, { supplierIndex: index }));
});

ponder.on("Participants:SupplierAccountChanged", async ({ event, context: { db } }) => {
  const { supplier: index, account } = event.args;
  await db.update(supplier, { index }).set({ account });
  await db.insert(eventLog).values(activityRow("SupplierAccountChanged", event, { supplierIndex: index }));
});

ponder.on("Participants:ProductRegistered", async ({ event, context: { db } }) => {
  const { product: index, implementer: implementerIndex, status, ...rest } = event.args;
  await db
    .insert(product)
    .values({ ...rest, implementerIndex, index, status: productStatus(status), ...registrationOf(event) });
  const subjects = { productIndex: index, implementerIndex: implementerIndex || null };
  await db.insert(eventLog).values(activityRow("ProductRegistered", event, subjects));
});

ponder.on("Participants:ProductStatusChanged", async ({ event, context: { db } }) => {
  const { product: index, status } = event.args;
  await db.update(product, { index }).set({ status: productStatus(status) });
  await db.insert(eventLog).values(activityRow("ProductStatusChanged", event, { productIndex: index }));
});

ponder.on("Participants:PlanRegistered", async ({ event, context: { db } }) => {
  const { plan: index, implementer: implementerIndex, registration } = event.args;
  const { implementer: _same, products, trustedIssuers, ...terms } = registration;
  await db.insert(plan).values({
    ...terms,
    index,
    implementerIndex,
    productIndexes: [...products],
    trustedIssuers: [...trustedIssuers],
    ...registrationOf(event),
  });
  await db.insert(eventLog).values(activityRow("PlanRegistered", event, { planIndex: index, implementerIndex }));
});

ponder.on("Participants:IssuerTrusted", async ({ event, context: { db } }) => {
  const { issuerHash: hash, did, credentialTypes, validFrom, validUntil } = event.args;
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  const latest = { validFrom, validUntil, changedAt, transactionHash };
  await db
    .insert(issuer)
    .values({ hash, did, credentialTypes: [...credentialTypes], ...latest })
    .onConflictDoUpdate((row) => ({
      ...latest,
      credentialTypes: [...new Set([...row.credentialTypes, ...credentialTypes])],
    }));
  await db.insert(eventLog).values(activityRow("IssuerTrusted", event, {}));
});

ponder.on("Participants:IssuerTrustEnded", async ({ event, context: { db } }) => {
  const { issuerHash: hash, validUntil } = event.args;
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  await db.update(issuer, { hash }).set({ validUntil, changedAt, transactionHash });
  await db.insert(eventLog).values(activityRow("IssuerTrustEnded", event, {}));
});
