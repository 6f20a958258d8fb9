import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { openTestCore, type TestCore } from "../../test/support/core.ts";
import { createSubmissionStore, type SubmissionStore } from "./store.ts";
import { odkSubmissions, type SubmissionRow } from "./tables.ts";

const implementerDid = "did:ixo:implementer/1";
const people = 600;
let core: TestCore;
let store: SubmissionStore;

before(async () => {
  core = await openTestCore();
  store = createSubmissionStore(core.deps.db);
  const rows = Array.from({ length: people }, (_, n) => rowOf(n, `Person ${n}`));
  await core.deps.db.insert(odkSubmissions).values([...rows, rowOf(people, "Zawadi"), rowOf(people + 1, null)]);
});
after(() => core?.close());

function rowOf(n: number, collectorName: string | null): SubmissionRow {
  const id = String(n).padStart(4, "0");
  return {
    id,
    implementerDid,
    formId: "household-registration",
    version: "1",
    kind: "household",
    instanceId: `uuid:${id}`,
    deprecatedId: null,
    replacedBy: null,
    correctedBy: null,
    collectorId: `collector-${id}`,
    collectorName,
    campaignId: null,
    sha256: id,
    status: "accepted",
    householdDid: null,
    day: null,
    region: null,
    resultId: null,
    details: [],
    receivedAt: new Date(n * 1_000),
    endedAt: null,
    filesReleasedAt: null,
  };
}

/** The people with a name like this, as a query of the room's own table of people gives them. */
const found = async (name: string, ids = sql`(select null where false)`) => {
  const filter = { implementerDid, person: { name, ids } };
  const [records, groups] = [await store.list(filter, 10), await store.progress(filter, 10)];
  assert.deepEqual(
    groups.map(({ collectorId }) => collectorId),
    records.map(({ collectorId }) => collectorId).toReversed(),
  );
  return records.map(({ collectorName }) => collectorName);
};

test("finds a person beyond the first 500 by part of the name, in any case", async () => {
  assert.deepEqual(await found("zawa"), ["Zawadi"]);
  assert.deepEqual(await found("person 599"), ["Person 599"]);
});

test("finds records that were stored without a name by their collectors", async () => {
  const id = `collector-0${people + 1}`;
  assert.deepEqual(await found("Zawadi", sql`(select ${id})`), [null, "Zawadi"]);
});

test("takes the text as it is, not as a pattern", async () => {
  assert.deepEqual(await found("Z%i"), []);
  assert.deepEqual(await found("Za_adi"), []);
});
