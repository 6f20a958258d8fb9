import { ponder } from "ponder:registry";
import { activity, household, implementer, issuer, plan, product, supplier, supplierStatus } from "ponder:schema";
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
  await db.insert(activity).values(activityRow("HouseholdsRegistered", event, { data }));
});

ponder.on("Participants:HouseholdSkipped", async ({ event, context: { db } }) => {
  const subjects = { household: event.args.household };
  await db.insert(activity).values(activityRow("HouseholdSkipped", event, subjects));
});

ponder.on("Participants:HouseholdAccountSet", async ({ event, context: { db } }) => {
  const { household: index, account } = event.args;
  await db.update(household, { index }).set({ account });
  await db.insert(activity).values(activityRow("HouseholdAccountSet", event, { household: index }));
});

ponder.on("Participants:ImplementerRegistered", async ({ event, context: { db } }) => {
  const { implementer: index, account, did, name } = event.args;
  await db.insert(implementer).values({ index, account, did, name, ...registrationOf(event) });
  await db.insert(activity).values(activityRow("ImplementerRegistered", event, { implementer: index }));
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
    .values({ sequence: sequenceOf(event), supplier: index, status, reason: "", changedAt, transactionHash });
  await db.insert(activity).values(activityRow("SupplierRegistered", event, { supplier: index }));
});

ponder.on("Participants:SupplierStatusChanged", async ({ event, context: { db } }) => {
  const { supplier: index, authorised, reason } = event.args;
  const status = supplierStanding(authorised);
  await db.update(supplier, { index }).set({ status });
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  await db
    .insert(supplierStatus)
    .values({ sequence: sequenceOf(event), supplier: index, status, reason, changedAt, transactionHash });
  await db.insert(activity).values(activityRow("SupplierStatusChanged", event, { supplier: index }));
});

ponder.on("Participants:SupplierFlagChanged", async ({ event, context: { db } }) => {
  const { supplier: index, flagged } = event.args;
  await db.update(supplier, { index }).set({ flagged });
  await db.insert(activity).values(activityRow("SupplierFlagChanged", event, { supplier: index }));
});

ponder.on("Participants:SupplierAccountChanged", async ({ event, context: { db } }) => {
  const { supplier: index, account } = event.args;
  await db.update(supplier, { index }).set({ account });
  await db.insert(activity).values(activityRow("SupplierAccountChanged", event, { supplier: index }));
});

ponder.on("Participants:ProductRegistered", async ({ event, context: { db } }) => {
  const { product: index, status, ...rest } = event.args;
  await db.insert(product).values({ ...rest, index, status: productStatus(status), ...registrationOf(event) });
  const subjects = { product: index, implementer: rest.implementer || null };
  await db.insert(activity).values(activityRow("ProductRegistered", event, subjects));
});

ponder.on("Participants:ProductStatusChanged", async ({ event, context: { db } }) => {
  const { product: index, status } = event.args;
  await db.update(product, { index }).set({ status: productStatus(status) });
  await db.insert(activity).values(activityRow("ProductStatusChanged", event, { product: index }));
});

ponder.on("Participants:PlanRegistered", async ({ event, context: { db } }) => {
  const { plan: index, products, trustedIssuers, ...rest } = event.args;
  await db.insert(plan).values({
    ...rest,
    index,
    products: [...products],
    trustedIssuers: [...trustedIssuers],
    ...registrationOf(event),
  });
  const subjects = { plan: index, implementer: rest.implementer };
  await db.insert(activity).values(activityRow("PlanRegistered", event, subjects));
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
  await db.insert(activity).values(activityRow("IssuerTrusted", event, {}));
});

ponder.on("Participants:IssuerTrustEnded", async ({ event, context: { db } }) => {
  const { issuerHash: hash, validUntil } = event.args;
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  await db.update(issuer, { hash }).set({ validUntil, changedAt, transactionHash });
  await db.insert(activity).values(activityRow("IssuerTrustEnded", event, {}));
});
