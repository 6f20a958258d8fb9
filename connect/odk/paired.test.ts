import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { exampleCampaign, householdDids, implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
  requireStatus,
} from "../../test/support/registry.ts";
import type { Schemas } from "../../wire/src/index.ts";

let registry: RegistryTest;
let implementer: Caller;
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
});
after(() => registry?.close());

test("files a claim of a paired design for each phase, each with its group, from visits of one form", async () => {
  const frame = householdDids("paired", 2);
  await registerHouseholds(registry.admin, frame);
  const body = exampleCampaign({
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-12" },
    sampling: {
      profile: "90/10",
      paired: {
        before: { startDate: "2024-02-01", endDate: "2024-02-03" },
        after: { startDate: "2024-02-10", endDate: "2024-02-12" },
      },
    },
    groups: { reference: { frame }, intervention: { frame } },
    sampleSize: 2,
  });
  const { campaignId } = body;
  requireStatus(await implementer("POST", "/campaigns", body), 201);
  requireStatus(await implementer("POST", `/campaigns/${campaignId}/draw`), 200);
  const about = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["kpt"], campaignId };
  const { url } = requireStatus(await registry.admin("POST", "/odk/collectors", about), 201).body as { url: string };
  const phone = usePhone(registry.app, url);
  const formId = `kpt-visit.${campaignId}`;
  const [household = ""] = frame;

  const listed = async () =>
    (await phone.listOf(await phone.form(formId))).split("\n").filter((line) => line.startsWith(household)).length;
  assert.equal(await listed(), 1, "the form's list has each household once");
  const offered = await (await phone.fetch((await phone.form(formId)).downloadUrl)).text();
  assert.match(offered, /Day 9, 2024-02-10/);
  assert.doesNotMatch(offered, /Day 5, /, "no day between the phases");

  const { findByInstance } = recordsOf(implementer);
  const visit = async (day: number, end: number) => {
    const { version } = await phone.form(formId);
    const instanceId = `uuid:${randomUUID()}`;
    const at = `2024-02-${String(day + 1).padStart(2, "0")}T17:30:00.000+02:00`;
    const xml = `<data id="${formId}" version="${version}"><household>${household}</household><day>${day}</day><at>${at}</at><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>${end}</end></fuels><people><women>1</women></people><meta><instanceID>${instanceId}</instanceID></meta></data>`;
    assert.equal((await phone.send(xml)).status, 201);
    return findByInstance(instanceId);
  };
  const claims: Schemas["KPTClaim"][] = [];
  for (const days of [
    [0, 1, 2],
    [9, 10, 11],
  ]) {
    const written = [];
    for (const day of days) written.push(await visit(day, 4 + claims.length * 2));
    const last = written.at(-1);
    assert.deepEqual([written[0]?.status, last?.status, last?.details], ["waiting", "accepted", []]);
    assert.equal(await listed(), claims.length === 0 ? 1 : 0, "a household stays in the list until both phases ended");
    const claim = requireStatus(await implementer("GET", `/claims/${last?.resultId}`), 200).body;
    claims.push(claim as Schemas["KPTClaim"]);
  }
  assert.deepEqual(
    claims.map(({ testGroup, testPeriod }) => [testGroup, testPeriod.startDate, testPeriod.endDate]),
    [
      ["reference", "2024-02-01", "2024-02-03"],
      ["intervention", "2024-02-10", "2024-02-12"],
    ],
  );
});
