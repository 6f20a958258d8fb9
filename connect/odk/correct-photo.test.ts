import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  planId,
  registerFrames,
  registerPlans,
} from "../../test/support/campaigns.ts";
import { type Phone, type RecordFile, usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  requireStatus,
  rulesOf,
} from "../../test/support/registry.ts";
import { mostNewPhotos, type StoredPhoto, type Submission } from "./submissions/schemas.ts";

let registry: RegistryTest;
let implementer: Caller;
let key: string;
let records: ReturnType<typeof recordsOf>;
let surveyed: CampaignResponse;
let phone: Phone;

before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  const made = await registry.admin("POST", "/keys", { role: "implementer", name: "Reader", implementerDid });
  ({ key } = requireStatus(made, 201).body as { key: string });
  records = recordsOf(implementer);
  surveyed = await drawnCampaign(implementer, await frameWithDevices());
  phone = await phoneWith({ forms: ["household", "kpt", "usage"], campaignId: surveyed.campaignId });
});
after(() => registry?.close());

async function phoneWith(about: object): Promise<Phone> {
  const body = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, ...about };
  const { url } = requireStatus(await registry.admin("POST", "/odk/collectors", body), 201).body as { url: string };
  return usePhone(registry.app, url);
}

/** A campaign in whose intervention group every household has a device. */
async function frameWithDevices() {
  const emissions = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
  const body = await registerFrames(registry.admin, exampleCampaign({ emissions }));
  for (const householdDid of body.groups.intervention.frame) {
    const device = {
      serial: `PHOTO-${randomUUID()}`,
      model: "Jiko 2",
      planId,
      householdDid,
      installedOn: "2024-01-01",
    };
    requireStatus(await implementer("POST", "/devices", device), 201);
  }
  return body;
}

const jpeg = (text: string) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(text)]);
const png = (text: string) => Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from(text)]);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const kitchen: RecordFile = {
  name: "kitchen.jpg",
  type: "image/jpeg",
  bytes: jpeg("the kitchen of another household"),
};
const newDid = () => `did:ixo:household/${randomUUID()}`;

/** Send a household with 2.5 children, which the rules refuse. */
async function refusedHousehold(): Promise<Submission> {
  const instanceId = `uuid:${randomUUID()}`;
  const { version } = await phone.form("household-registration");
  const xml = `<data id="household-registration" version="${version}"><did>${newDid()}</did><people><children>2.5</children></people><photo>${kitchen.name}</photo><meta><instanceID>${instanceId}</instanceID></meta></data>`;
  assert.match(await (await phone.send(xml, [kitchen])).text(), /not accepted/);
  return await records.findByInstance(instanceId);
}

const twoChildren = [{ path: "people.children", answer: "2" }];

async function bytesOf(id: string, name: string): Promise<Buffer> {
  const path = `/v1/odk/submissions/${id}/files/${encodeURIComponent(name)}`;
  const answer = await registry.app.request(path, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

const positions = async () => {
  const path = `/campaigns/${surveyed.campaignId}/usage-survey/positions?limit=500`;
  const { body } = requireStatus(await implementer("GET", path), 200);
  return (body as { items: { position: number; record: { evidence: unknown } | null }[] }).items;
};

/** Send a visit to a drawn device. The rules refuse a day that is none, and a visit without a photo. */
async function refusedVisit(photo?: RecordFile): Promise<{ position: number; refused: Submission }> {
  const { formId, version } = await phone.form(`usage-survey.${surveyed.campaignId}`);
  const position = (await positions()).find(({ record }) => record === null)?.position ?? assert.fail("One is open.");
  const instanceId = `uuid:${randomUUID()}`;
  const day = photo === undefined ? "2024-02-03" : "a day";
  const answers = `<device>${position}</device><seen>yes</seen><in_use>yes</in_use><visited_on>${day}</visited_on>`;
  const xml = `<data id="${formId}" version="${version}">${answers}<photo>${photo?.name ?? ""}</photo><meta><instanceID>${instanceId}</instanceID></meta></data>`;
  assert.match(await (await phone.send(xml, photo === undefined ? [] : [photo])).text(), /not accepted/);
  return { position, refused: await records.findByInstance(instanceId) };
}

describe("a photo that a correction replaces", () => {
  it("is that of the correction, and the first one stays with the refused record", async () => {
    const refused = await refusedHousehold();
    const own = png("the right kitchen");
    const corrected = requireStatus(await records.correctPhotos(refused.id, { photo: own }, twoChildren), 200)
      .body as Submission;
    assert.equal(corrected.status, "accepted");
    const { files, fields } = await records.read(corrected.id);
    assert.deepEqual(
      files.map(({ sha256, size, mimeType }) => [sha256, size, mimeType]),
      [[hashOf(own), own.length, "image/png"]],
    );
    const name = files[0]?.name ?? "";
    assert.equal(fields.find(({ path }) => path === "photo")?.answer, name);
    assert.notEqual(name, kitchen.name);
    assert.deepEqual(await bytesOf(corrected.id, name), own);
    const first = await records.read(refused.id);
    assert.deepEqual([first.status, first.files.map((file) => file.name)], ["replaced", [kitchen.name]]);
    assert.deepEqual(await bytesOf(refused.id, kitchen.name), kitchen.bytes);
  });

  it("stays when the correction is refused and corrected again", async () => {
    const refused = await refusedHousehold();
    const own = jpeg("kept twice");
    const again = requireStatus(await records.correctPhotos(refused.id, { photo: own }), 200).body as Submission;
    assert.equal(again.status, "refused");
    const last = requireStatus(await records.correct(again.id, twoChildren), 200).body as Submission;
    const { status, files } = await records.read(last.id);
    assert.deepEqual([status, files.map(({ sha256 }) => sha256)], ["accepted", [hashOf(own)]]);
    assert.deepEqual(await bytesOf(last.id, files[0]?.name ?? ""), own);
  });

  it("is no longer evidence of the visit", async () => {
    const { position, refused } = await refusedVisit(kitchen);
    const own = jpeg("the stove that was drawn");
    const change = [{ path: "visited_on", answer: "2024-02-03" }];
    const corrected = requireStatus(await records.correctPhotos(refused.id, { photo: own }, change), 200).body;
    assert.equal((corrected as Submission).status, "accepted", JSON.stringify(corrected));
    const evidence = (await positions()).find((each) => each.position === position)?.record?.evidence;
    assert.deepEqual(
      (evidence as { sha256: string }[]).map(({ sha256 }) => sha256),
      [hashOf(own)],
    );
  });

  it("is added where the record has none, next to a signature", async () => {
    const { refused } = await refusedVisit();
    assert.deepEqual(
      refused.details.map(({ path, rule }) => [path, rule]),
      [["photo", "required"]],
    );
    const done = requireStatus(await records.correctPhotos(refused.id, { photo: jpeg("added") }), 200).body;
    assert.equal((done as Submission).status, "accepted", JSON.stringify(done));
    const household = await refusedHousehold();
    const both = { photo: jpeg("a photo"), consent: png("a signature") };
    const signed = requireStatus(await records.correctPhotos(household.id, both, twoChildren), 200).body as Submission;
    assert.deepEqual(
      (await records.read(signed.id)).files.map(({ sha256 }) => sha256).sort(),
      Object.values(both).map(hashOf).sort(),
    );
  });

  it("is left out of an edit on the phone that names another one", async () => {
    const refused = await refusedHousehold();
    const { version } = await phone.form("household-registration");
    const other = { ...kitchen, name: "other.jpg", bytes: jpeg("taken again") };
    const instanceId = `uuid:${randomUUID()}`;
    const edit = `<data id="household-registration" version="${version}"><did>${newDid()}</did><photo>${other.name}</photo><meta><instanceID>${instanceId}</instanceID><deprecatedID>${refused.instanceId}</deprecatedID></meta></data>`;
    assert.match(await (await phone.send(edit, [other])).text(), /Received and accepted/);
    const { id } = await records.findByInstance(instanceId);
    assert.deepEqual(
      (await records.read(id)).files.map(({ name }) => name),
      [other.name],
    );
  });
});

describe("a photo that a correction cannot have", () => {
  it("is another team's, and only the team stores one", async () => {
    const refused = await refusedHousehold();
    const stranger = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    assert.equal((await records.storePhoto(refused.id, jpeg("x"), stranger)).status, 404);
    const scopes = ["households:write", "kpt:write", "campaigns:write"];
    const others = [
      await registry.as("integrator", { scopes, dids: [implementerDid] }),
      await registry.as("evaluator"),
      await registry.as("regulator"),
    ];
    for (const other of others) assert.equal((await records.storePhoto(refused.id, jpeg("x"), other)).status, 403);
    const path = `/v1/odk/submissions/${refused.id}/correction/files`;
    assert.equal((await registry.app.request(path, { method: "POST", body: "x" })).status, 401);
    // A photo that was stored for one record is not a photo of another.
    const { sha256 } = requireStatus(await records.storePhoto(refused.id, jpeg("mine")), 201).body as StoredPhoto;
    const neighbour = await refusedHousehold();
    const body = { answers: twoChildren, files: [{ path: "photo", sha256 }] };
    const answer = await implementer("POST", `/odk/submissions/${neighbour.id}/correction`, body);
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["photo-stored"]]);
    assert.equal((await records.read(neighbour.id)).status, "refused");
  });

  for (const [name, bytes] of [
    ["a text", Buffer.from("a kitchen")],
    [
      "a page that runs scripts",
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"),
    ],
    ["a PDF", Buffer.from("%PDF-1.7")],
    ["nothing", Buffer.alloc(0)],
    ["a part of a JPEG's mark", Buffer.from([0xff, 0xd8])],
  ] as const) {
    it(`is ${name}`, async () => {
      const refused = await refusedHousehold();
      const answer = await records.storePhoto(refused.id, bytes);
      assert.deepEqual([answer.status, rulesOf(answer)], [400, ["photo"]]);
    });
  }

  it("is larger than 16 MiB", async () => {
    const refused = await refusedHousehold();
    const largest = Buffer.concat([jpeg(""), Buffer.alloc(16 * 1024 * 1024 - 4)]);
    assert.equal((await records.storePhoto(refused.id, largest)).status, 201);
    const larger = Buffer.concat([largest, Buffer.from([0])]);
    assert.equal((await records.storePhoto(refused.id, larger)).status, 413);
  });

  it("belongs to a record that is deleted, accepted, replaced or unknown", async () => {
    const deleted = await refusedHousehold();
    requireStatus(await implementer("POST", `/odk/submissions/${deleted.id}/delete`, { reason: "Sent twice" }), 200);
    const replaced = await refusedHousehold();
    const accepted = requireStatus(await records.correct(replaced.id, twoChildren), 200).body as Submission;
    for (const { id } of [deleted, replaced, accepted]) {
      assert.equal((await records.storePhoto(id, jpeg("late"))).status, 409);
    }
    assert.equal((await records.storePhoto("01KQ5X7Z8M2B4C6D8E0F1G2H3J", jpeg("late"))).status, 404);
  });

  it("belongs to a visit of a closed campaign", async () => {
    const ending = await drawnCampaign(implementer, await frameWithDevices());
    const surveyor = await phoneWith({ forms: ["usage"], campaignId: ending.campaignId });
    const { formId, version } = await surveyor.form(`usage-survey.${ending.campaignId}`);
    const xml = `<data id="${formId}" version="${version}"><meta><instanceID>uuid:closing</instanceID></meta></data>`;
    assert.match(await (await surveyor.send(xml)).text(), /not accepted/);
    const { id } = await records.findByInstance("uuid:closing");
    const { sha256 } = requireStatus(await records.storePhoto(id, jpeg("in time")), 201).body as StoredPhoto;
    const gone = { reason: "refused by the village" };
    requireStatus(await implementer("POST", `/campaigns/${ending.campaignId}/abandonment`, gone), 201);
    assert.equal((await records.storePhoto(id, jpeg("late"))).status, 409);
    const body = { answers: [], files: [{ path: "photo", sha256 }] };
    assert.equal((await implementer("POST", `/odk/submissions/${id}/correction`, body)).status, 409);
    assert.equal((await records.read(id)).status, "refused");
  });

  it("answers a question that is none, has words as its answer, or has two answers", async () => {
    const refused = await refusedHousehold();
    const { sha256 } = requireStatus(await records.storePhoto(refused.id, jpeg("x")), 201).body as StoredPhoto;
    const paths = ["meta.audit", "__proto__", "region", "photo", "photo"];
    const files = paths.map((path) => ({ path, sha256 }));
    const answer = await implementer("POST", `/odk/submissions/${refused.id}/correction`, { answers: [], files });
    const broken = ["field-known", "field-known", "file-question", "field-once"];
    assert.deepEqual([answer.status, rulesOf(answer)], [400, broken.sort()]);
    const twice = { answers: [{ path: "photo", answer: "" }], files: [{ path: "photo", sha256 }] };
    const both = await implementer("POST", `/odk/submissions/${refused.id}/correction`, twice);
    assert.deepEqual([both.status, rulesOf(both)], [400, ["field-once", "file-kept"]]);
    for (const wrong of ["../../x", "A".repeat(64), "", `${sha256}0`]) {
      const body = { answers: [], files: [{ path: "photo", sha256: wrong }] };
      assert.equal((await implementer("POST", `/odk/submissions/${refused.id}/correction`, body)).status, 400);
    }
    assert.equal((await records.read(refused.id)).status, "refused");
  });

  it("is one more than a record can have", async () => {
    const refused = await refusedHousehold();
    for (let i = 0; i < mostNewPhotos; i++) requireStatus(await records.storePhoto(refused.id, jpeg(`${i}`)), 201);
    assert.equal((await records.storePhoto(refused.id, jpeg("more"))).status, 409);
    // One that is stored already takes no further place.
    assert.equal((await records.storePhoto(refused.id, jpeg("0"))).status, 201);
  });
});

describe("a correction with a photo", () => {
  it("is written once, however often it is sent", async () => {
    const refused = await refusedHousehold();
    const own = jpeg("once");
    const stored = await Promise.all([1, 2, 3].map(() => records.storePhoto(refused.id, own)));
    assert.deepEqual(
      stored.map((answer) => (requireStatus(answer, 201).body as StoredPhoto).sha256),
      Array(3).fill(hashOf(own)),
    );
    const body = { answers: twoChildren, files: [{ path: "photo", sha256: hashOf(own) }] };
    const send = (headers = {}) => implementer("POST", `/odk/submissions/${refused.id}/correction`, body, headers);
    const sent = await Promise.all([send(), send(), send({ "idempotency-key": "photo-1" })]);
    const ids = sent.map((answer) => (requireStatus(answer, 200).body as Submission).id);
    assert.equal(new Set(ids).size, 1);
    const replayed = requireStatus(await send({ "idempotency-key": "photo-1" }), 200);
    assert.equal(replayed.headers.get("idempotency-replayed"), "true");
    assert.equal((await records.read(ids[0] ?? "")).files.length, 1);
  });

  it("is one of two different ones that are sent at the same time", async () => {
    const refused = await refusedHousehold();
    const photos = [jpeg("one"), jpeg("two")];
    const answers = await Promise.all(photos.map((photo) => records.correctPhotos(refused.id, { photo }, twoChildren)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const made = answers.findIndex(({ status }) => status === 200);
    const { id } = (answers[made] ?? assert.fail("One was made.")).body as Submission;
    const { files } = await records.read(id);
    assert.deepEqual(
      files.map(({ sha256 }) => sha256),
      [hashOf(photos[made] ?? Buffer.alloc(0))],
    );
  });
});
