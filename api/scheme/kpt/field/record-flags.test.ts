import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import type { CreatedCollector } from "../../../../connect/odk/collectors/schemas.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  planId,
  registerFrames,
  registerPlans,
} from "../../../../test/support/campaigns.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { exifPhoto } from "../../../../test/support/exif-photo.ts";
import { fillForm } from "../../../../test/support/odk-engine.ts";
import { type Phone, usePhone } from "../../../../test/support/odk-phone.ts";
import { type Caller, openRegistryTest, type RegistryTest, requireStatus } from "../../../../test/support/registry.ts";
import type { CampaignResponse } from "../../campaigns/schemas.ts";
import type { UsagePositionResponse } from "../../campaigns/usage/schemas.ts";
import type { CampaignFlags } from "./schemas.ts";

let registry: RegistryTest;
let implementer: Caller;
let evaluator: Caller;
let campaign: CampaignResponse;
let phone: Phone;
/** Day of the draw, by the chain's clock. */
let drawnOn: string;

const lusaka = { latitude: -15.4167, longitude: 28.2833 };
const london = { latitude: 51.5, longitude: 0.1 };
const unlimited = { path: "evidence.0", others: [] };

before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  evaluator = await registry.as("evaluator");
  const emissions = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
  const body = await registerFrames(registry.admin, exampleCampaign({ emissions }));
  for (const [i, householdDid] of body.groups.intervention.frame.entries()) {
    const device = { serial: `FRAME-${i}`, model: "Jiko 2", planId, householdDid, installedOn: "2024-01-01" };
    requireStatus(await implementer("POST", "/devices", device), 201);
  }
  campaign = await drawnCampaign(implementer, body);
  drawnOn = new Date(Number(await registry.deps.chain.now()) * 1000).toISOString().slice(0, 10);
  const forms = ["usage", "device"];
  const made = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms, planId };
  const collector = await registry.admin("POST", "/odk/collectors", { ...made, campaignId: campaign.campaignId });
  phone = usePhone(registry.app, (requireStatus(collector, 201).body as CreatedCollector).url);
});
after(() => registry?.close());

type SentPhoto = { sha256: string; uri: string | null; size: number };

async function sendPhoto(bytes: Uint8Array, query = "", contentType = "image/jpeg"): Promise<SentPhoto> {
  const answer = await registry.app.request(`http://localhost/v1/photos${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${testAdminKey}`, "content-type": contentType },
    body: new Uint8Array(bytes),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()) as SentPhoto;
}

const flags = async () =>
  (requireStatus(await evaluator("GET", `/campaigns/${campaign.campaignId}/claim-flags`), 200).body as CampaignFlags)
    .records;
const flagsOf = async (kind: string) =>
  (await flags()).items
    .filter((flag) => flag.kind === kind)
    .map(({ rule, path, position, serial, others }) => ({ rule, path, of: serial ?? position, others }));

async function positions(): Promise<UsagePositionResponse[]> {
  const path = `/campaigns/${campaign.campaignId}/usage-survey/positions?limit=500`;
  return (requireStatus(await implementer("GET", path), 200).body as { items: UsagePositionResponse[] }).items;
}

test("keeps a photo that is sent, and gives it to evaluators only", async () => {
  const bytes = exifPhoto({ takenAt: "2024-02-02T10:00:00", ...lusaka, mark: "kept" });
  const photo = await sendPhoto(bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  assert.deepEqual([photo.sha256, photo.size], [sha256, bytes.length]);
  assert.match(photo.uri ?? "", /^ipfs:\/\/baf/);
  assert.deepEqual(await sendPhoto(bytes), photo);
  for (const caller of [implementer, await registry.as("integrator", { scopes: ["kpt:write"] })]) {
    assert.equal((await caller("GET", `/photos/${sha256}`)).status, 403);
  }
  const made = await registry.admin("POST", "/keys", { role: "evaluator", name: "Reader" });
  const { key } = requireStatus(made, 201).body as { key: string };
  const answer = await registry.app.request(`http://localhost/v1/photos/${sha256}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
  const other = exifPhoto({ mark: "kept by its sender" });
  assert.equal((await sendPhoto(other, "?keep=false")).uri, null);
  const gone = createHash("sha256").update(other).digest("hex");
  assert.equal((await evaluator("GET", `/photos/${gone}`)).status, 404);
  assert.equal((await implementer("POST", "/photos", "text", { "content-type": "text/plain" })).status, 400);
});

test("flags photos of replaced and missing households from before the draw, from another place, and of another record", async () => {
  const [moved, gone] = campaign.groups.reference.sample;
  const early = await sendPhoto(exifPhoto({ takenAt: "2020-05-01T10:00:00", ...london, mark: "early" }));
  const taken = await sendPhoto(exifPhoto({ takenAt: `${drawnOn}T23:00:00`, ...lusaka, mark: "good" }));
  const path = `/campaigns/${campaign.campaignId}`;
  const replaced = { group: "reference", householdId: moved, reason: "moved", evidence: early.uri };
  requireStatus(await implementer("POST", `${path}/replacements`, replaced), 201);
  const missing = { group: "reference", householdId: gone, reason: "absent", evidence: taken.uri };
  requireStatus(await implementer("POST", `${path}/missing`, missing), 201);
  assert.deepEqual(await flagsOf("replaced"), [
    { rule: "photo-outside-period", of: 0, ...unlimited },
    { rule: "photo-outside-area", of: 0, ...unlimited },
  ]);
  assert.deepEqual(await flagsOf("missing"), []);
  assert.equal((await implementer("GET", `${path}/claim-flags`)).status, 403);
});

test("flags a phone's photo of a usage survey that was taken on another day or at another place", async () => {
  const form = await phone.form(`usage-survey.${campaign.campaignId}`);
  const record = async (device: number, photo: Buffer) => {
    const file = new File([new Uint8Array(photo)], "stove.jpg", { type: "image/jpeg" });
    const answers = { device: String(device), seen: "yes", in_use: "yes", visited_on: "2024-02-03", photo: file };
    const { xml, files } = await fillForm(phone, form, answers);
    assert.match(await (await phone.send(xml, files)).text(), /Received and accepted/, xml);
  };
  const [first, second, third] = (await positions()).map(({ position }) => position) as [number, number, number];
  await record(first, exifPhoto({ takenAt: "2024-02-03T09:00:00", ...lusaka, mark: "first" }));
  assert.deepEqual(await flagsOf("surveyed"), []);
  const elsewhere = exifPhoto({ takenAt: "2024-02-02T09:00:00", ...london, mark: "second" });
  await record(second, elsewhere);
  await record(third, elsewhere);
  const found = await flagsOf("surveyed");
  const others = [campaign.campaignId];
  assert.deepEqual(
    found,
    [second, third].flatMap((of) => [
      { rule: "photo-outside-period", of, ...unlimited },
      { rule: "photo-outside-area", of, ...unlimited },
      { rule: "photo-twice", of, path: "evidence.0", others },
    ]),
  );
  const { items } = await flags();
  assert.doesNotMatch(JSON.stringify(items), /51\.?5|28\.?28|15\.?41|Acme/);
});

test("flags a photo of an installation from before it, and one that a claim has", async () => {
  const form = await phone.form(`device-installation.${planId}`);
  const shared = exifPhoto({ takenAt: "2023-12-24T09:00:00", ...lusaka, mark: "installed" });
  const household = campaign.groups.intervention.sample[1];
  const answers = `<household>${household}</household><serial>STOVE-PHOTO</serial><model>Jiko 2</model><installed_on>2024-01-02</installed_on><photo>device.jpg</photo>`;
  const xml = `<data id="${form.formId}" version="${form.version}">${answers}<meta><instanceID>uuid:installed</instanceID></meta></data>`;
  const file = { name: "device.jpg", type: "image/jpeg", bytes: shared };
  assert.match(await (await phone.send(xml, [file])).text(), /accepted: STOVE-PHOTO/);
  const sha256 = createHash("sha256").update(shared).digest("hex");
  const device = requireStatus(await implementer("GET", "/devices/STOVE-PHOTO"), 200).body as { evidence: SentPhoto[] };
  assert.equal(device.evidence[0]?.sha256, sha256);
  const claim = {
    type: "KPTClaim",
    campaignId: campaign.campaignId,
    householdId: campaign.groups.reference.sample[2],
    testGroup: "reference",
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04" },
    fuelMeasurements: { total: 12, dailyLogs: [3, 3, 3, 3] },
    externalFactors: { season: "dry", culturalEvents: [], occupationalFactors: [] },
    evidence: [{ type: "photo", uri: "https://photos.example/stove.jpg", sha256 }],
  };
  const { id } = requireStatus(await implementer("POST", "/claims", claim), 201).body as { id: string };
  assert.deepEqual(await flagsOf("installed"), [
    { rule: "photo-outside-period", of: "STOVE-PHOTO", ...unlimited },
    { rule: "photo-twice", of: "STOVE-PHOTO", path: "evidence.0", others: [id] },
  ]);
  // A claim that names a photo which the service has read is compared with what was read.
  const checks = requireStatus(await evaluator("GET", `/claims/${id}/checks`), 200).body as {
    flags: { rule: string }[];
  };
  assert.deepEqual(
    checks.flags.map(({ rule }) => rule),
    ["photo-outside-period"],
  );
});

test("accepts a record with a file that its phone calls a photo, of a type that the service reads no data of", async () => {
  const form = await phone.form(`device-installation.${planId}`);
  const household = campaign.groups.intervention.sample[2];
  const answers = `<household>${household}</household><serial>STOVE-AUDIT</serial><model>Jiko 2</model><installed_on>2024-01-02</installed_on><photo>stove.jpg</photo>`;
  const meta = "<meta><instanceID>uuid:audited</instanceID><audit>audit.csv</audit></meta>";
  const xml = `<data id="${form.formId}" version="${form.version}">${answers}${meta}</data>`;
  const photo = { name: "stove.jpg", type: "image/jpeg", bytes: exifPhoto({ mark: "audited" }) };
  const audit = { name: "audit.csv", type: "image/svg+xml", bytes: Buffer.from("event,node\nExif,/data\n") };
  assert.match(await (await phone.send(xml, [photo, audit])).text(), /accepted: STOVE-AUDIT/);
});

test("names the first 100 of thousands of devices with one photo, in seconds", async () => {
  const { db } = registry.deps;
  const many = 5_000;
  const uri = "https://photos.example/one.jpg";
  await db.execute(sql`
    insert into devices (serial, spelling, model, plan, household, installed_on, evidence, created_at)
    select 'MANY-' || n, d.spelling || n, d.model, d.plan, d.household, d.installed_on,
      ${JSON.stringify([{ uri }])}::jsonb, d.created_at
    from devices d, generate_series(1, ${many}) n where d.serial = 'STOVE-PHOTO'`);
  const start = performance.now();
  const twice = (await flags()).items.filter(
    ({ rule, serial }) => rule === "photo-twice" && serial?.startsWith("MANY-"),
  );
  assert.ok(performance.now() - start < 10_000);
  // The answer has the first 1,000 flags.
  assert.ok(twice.length > 900 && twice.length <= 1_000);
  assert.ok(twice.every(({ others, serial }) => others.length === 100 && !others.includes(serial ?? "")));
  await db.execute(sql`delete from devices where serial like 'MANY-%'`);
});

test("reads a photo once, also when it cannot be read, and refuses a key that sends too many at the same time", async () => {
  // The position of the EXIF directory is long text, which the library never ends to read.
  const endless = Buffer.alloc(10 + 12 * 60_000 + 4, "A");
  endless.write("II*\0", 0, "latin1");
  endless.writeUInt32LE(8, 4);
  endless.writeUInt16LE(60_000, 8);
  for (let at = 10; at < endless.length - 4; at += 12) {
    endless.writeUInt16LE(0x8769, at);
    endless.writeUInt16LE(2, at + 2);
    endless.writeUInt32LE(endless.length - 64, at + 4);
    endless.writeUInt32LE(8, at + 8);
  }
  await sendPhoto(endless, "?keep=false", "image/tiff");
  const start = performance.now();
  await sendPhoto(endless, "?keep=false", "image/tiff");
  assert.ok(performance.now() - start < 1_000, "it was read again");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      registry.app.request("http://localhost/v1/photos?keep=false", {
        method: "POST",
        headers: { authorization: `Bearer ${testAdminKey}`, "content-type": "image/jpeg" },
        body: new Uint8Array(exifPhoto({ mark: `together ${i}` })),
      }),
    ),
  );
  assert.deepEqual(
    [201, 429].map((status) => answers.filter((answer) => answer.status === status).length),
    [16, 4],
  );
});
