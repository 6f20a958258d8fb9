// A visit whose test is never completed ends as refused, with the days that are missing.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { and, eq } from "drizzle-orm";
import { openApp } from "../../api/app.ts";
import { createLog } from "../../api/platform/log.ts";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { drawnCampaign, implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import { type Caller, callerOf, requireStatus } from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import { odkSubmissions } from "../records/tables.ts";
import type { CreatedCollector } from "./collectors/schemas.ts";

const dayMs = 24 * 3_600_000;
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("the scale")]);
let world: TestWorld;
let opened: Awaited<ReturnType<typeof openApp>>;
let implementer: Caller;
let campaign: CampaignResponse;
let collector: CreatedCollector;

const admin = callerOf(() => opened.app, testAdminKey);
const records = recordsOf(admin);

/** Start the server, or start it again: it then looks for visits whose time is over. */
async function open(env: Record<string, string> = {}): Promise<void> {
  await opened?.close();
  const config = world.config({ ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000", ...env });
  opened = await openApp(config, createLog(config));
}

before(async () => {
  world = await createTestWorld();
  await open();
  await registerPlans({ admin });
  const made = requireStatus(await admin("POST", "/keys", { role: "implementer", name: "Team", implementerDid }), 201)
    .body as { key: string };
  implementer = callerOf(() => opened.app, made.key);
  campaign = await drawnCampaign(implementer);
  collector = await newCollector(campaign);
});
after(async () => {
  await opened?.close();
  await world?.close();
});

async function newCollector({ campaignId }: CampaignResponse): Promise<CreatedCollector> {
  const about = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["kpt"], campaignId };
  return requireStatus(await admin("POST", "/odk/collectors", about), 201).body as CreatedCollector;
}

/** Send the visits of some days, each with a photo of the scale. @returns their ids */
async function visit(household: string, days: number[], by = collector, { campaignId } = campaign): Promise<string[]> {
  const phone = usePhone(opened.app, by.url);
  const { version } = await phone.form(`kpt-visit.${campaignId}`);
  const ids: string[] = [];
  for (const day of days) {
    const instanceId = `uuid:${randomUUID()}`;
    const xml = `<data id="kpt-visit.${campaignId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>7</end></fuels><people><women>1</women></people><stoves><kind>three stones</kind><used>yes</used></stoves><photo>a.jpg</photo><meta><instanceID>${instanceId}</instanceID></meta></data>`;
    const answer = await phone.send(xml, [{ name: "a.jpg", type: "image/jpeg", bytes: jpeg }]);
    assert.equal(answer.status, 201, await answer.text());
    ids.push((await records.findByInstance(instanceId)).id);
  }
  return ids;
}

const statusesOf = async (ids: string[]) => await Promise.all(ids.map(async (id) => (await records.read(id)).status));

async function age(ids: string[], days: number): Promise<void> {
  const receivedAt = new Date(Date.now() - days * dayMs);
  for (const id of ids)
    await opened.deps.db.update(odkSubmissions).set({ receivedAt }).where(eq(odkSubmissions.id, id));
}

/** Wait until the server has looked: a visit that must be refused is. */
const isRefused = (id: string) =>
  untilFound(async () => ((await records.read(id)).status === "refused" ? true : undefined));

test("ends after a year with the days that are missing, and counts when they come after all", async () => {
  const [old = "", young = "", whole = ""] = campaign.groups.reference.sample;
  const late = await visit(old, [0, 2]);
  const recent = await visit(young, [0]);
  // As a kill leaves it after the claim was filed and before its visits were changed.
  const filed = await visit(whole, [0, 1, 2, 3]);
  assert.deepEqual(await statusesOf(filed), Array(4).fill("accepted"));
  const ofTest = and(eq(odkSubmissions.householdDid, whole), eq(odkSubmissions.status, "accepted"));
  await opened.deps.db.update(odkSubmissions).set({ status: "waiting", resultId: null, endedAt: null }).where(ofTest);
  await age([...late, ...filed], 366);
  await age(recent, 364);
  await open();
  for (const id of late) await isRefused(id);
  assert.deepEqual(await statusesOf([...recent, ...filed]), Array(5).fill("waiting"));
  const { details, files } = await records.read(late[0] ?? "");
  assert.deepEqual(
    details.map(({ code, values }) => [code, values]),
    [["test-incomplete", { days: "1, 3" }]],
  );
  assert.deepEqual(
    files.map(({ name }) => name),
    ["a.jpg"],
  );
  assert.equal((await admin("GET", `/odk/submissions/${late[0]}/files/a.jpg`)).status, 200);
  const missing = await visit(old, [1, 3]);
  assert.deepEqual(await statusesOf([...late, ...missing]), Array(4).fill("accepted"));
});

test("ends soon after its campaign has ended, also when its link was revoked", async () => {
  const ending = await drawnCampaign(implementer);
  const by = await newCollector(ending);
  const household = ending.groups.reference.sample[0] ?? "";
  const ids = await visit(household, [0, 1], by, ending);
  requireStatus(await admin("DELETE", `/odk/collectors/${by.id}`), 200);
  const gone = { reason: "refused by the village" };
  requireStatus(await implementer("POST", `/campaigns/${ending.campaignId}/abandonment`, gone), 201);
  await open({ RECORDS_OPEN_DAYS: "0" });
  for (const id of ids) await isRefused(id);
  const { details } = await records.read(ids[0] ?? "");
  assert.match(details[0]?.message ?? "", /day 2, 3 of this household's test did not come/);
});
