import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { eq } from "drizzle-orm";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { drawnCampaign, implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { type Phone, type RecordFile, usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  requireStatus,
  rulesOf,
} from "../../test/support/registry.ts";
import { odkSubmissions } from "../records/tables.ts";
import type { Submission } from "./submissions/schemas.ts";

let registry: RegistryTest;
let implementer: Caller;
let records: ReturnType<typeof recordsOf>;
let campaign: CampaignResponse;
let phone: Phone;

before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  records = recordsOf(implementer);
  campaign = await drawnCampaign(implementer);
  phone = usePhone(registry.app, await linkOf({ forms: ["household", "kpt"], campaignId: campaign.campaignId }));
});
after(() => registry?.close());

async function linkOf(about: object): Promise<string> {
  const body = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, ...about };
  return (requireStatus(await registry.admin("POST", "/odk/collectors", body), 201).body as { url: string }).url;
}

const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a kitchen")]);
const photo: RecordFile = { name: "kitchen.jpg", type: "image/jpeg", bytes: jpeg };
const newDid = () => `did:ixo:household/${randomUUID()}`;

/** Send a household with 2.5 children, which the rules refuse. */
async function refusedHousehold(did: string = newDid()): Promise<{ did: string; xml: string; refused: Submission }> {
  const instanceId = `uuid:${randomUUID()}`;
  const { version } = await phone.form("household-registration");
  const xml = `<data id="household-registration" version="${version}"><did>${did}</did><region>Lusaka &amp; beyond</region><people><children>2.5</children><women>1</women></people><photo>kitchen.jpg</photo><meta><instanceID>${instanceId}</instanceID></meta></data>`;
  assert.match(await (await phone.send(xml, [photo])).text(), /not accepted/);
  return { did, xml, refused: await records.findByInstance(instanceId) };
}

it("is explained to the phone in the language that it asks for", async () => {
  const { xml } = await refusedHousehold();
  const explained = async (language: string) => {
    const answer = await phone.send(xml, [photo], { language });
    assert.equal(answer.status, 201);
    return [answer.headers.get("content-language"), await answer.text()] as const;
  };
  for (const [asked, language, words] of [
    [
      "fr-CD,fr;q=0.9,en;q=0.8",
      "fr",
      "Reçue, mais pas acceptée. « Enfants jusqu'à 14 ans » : un nombre entier de 0 à 999",
    ],
    [
      "de, pt-MZ;q=0.7, en;q=0.5",
      "pt",
      "Recebido, mas não aceite. “Crianças até 14 anos”: espera-se um número inteiro",
    ],
    ["sw", "sw", "Imepokelewa, lakini haikukubaliwa. “Watoto hadi miaka 14”: namba kamili"],
    ["ja", "en", "Received, but not accepted. &#34;Children up to 14&#34;: a whole number from 0 to 999 is expected."],
  ] as const) {
    const [header, text] = await explained(asked);
    assert.equal(header, language);
    assert.ok(text.replaceAll("&#39;", "'").includes(words), text);
  }
});

const twoChildren = [{ path: "people.children", answer: "2" }];

it("shows a refused answer as it was sent, with its question", async () => {
  const { refused } = await refusedHousehold();
  assert.deepEqual([refused.correctIn, refused.correctedBy], ["console", null]);
  assert.deepEqual(refused.details[0], {
    path: "people.children",
    rule: "range",
    message: '"Children up to 14": a whole number from 0 to 999 is expected.',
    code: "not-whole",
    values: { question: "Children up to 14", min: 0, max: 999 },
  });
  const { fields, answers } = await records.read(refused.id);
  assert.deepEqual(answers.people, { women: 1 });
  assert.partialDeepStrictEqual(
    fields.find(({ path }) => path === "people.children"),
    { label: "Who lives in the household: Children up to 14", kind: "integer", answer: "2.5" },
  );
});

it("writes a corrected household once, keeps the first answers, and says who corrected", async () => {
  const { did, xml, refused } = await refusedHousehold();
  const sent = await Promise.all([1, 2, 3].map(() => records.correct(refused.id, twoChildren)));
  const ids = sent.map((answer) => (requireStatus(answer, 200).body as Submission).id);
  assert.equal(new Set(ids).size, 1);
  const corrected = await records.read(ids[0] ?? "");
  assert.partialDeepStrictEqual(corrected, {
    status: "accepted",
    resultId: did,
    corrects: refused.instanceId,
    correctIn: null,
    region: "Lusaka & beyond",
    collector: { name: "Maria" },
    answers: { did, people: { children: 2, women: 1 } },
  });
  assert.equal(typeof corrected.correctedBy, "string");
  assert.equal(corrected.files[0]?.name, photo.name);
  const path = `/households/${encodeURIComponent(did)}`;
  assert.partialDeepStrictEqual(requireStatus(await registry.admin("GET", path), 200).body, {
    householdSize: { children: 2, women: 1 },
  });
  const first = await records.read(refused.id);
  assert.equal(first.status, "replaced");
  assert.equal(first.fields.find((field) => field.path === "people.children")?.answer, "2.5");
  assert.match(await (await phone.send(xml, [photo])).text(), /later correction has taken its place/);
  const other = await records.correct(refused.id, [{ path: "people.children", answer: "3" }]);
  assert.equal(other.status, 409);
});

it("refuses a correction by the same rules, and lets the correction be corrected", async () => {
  const { refused: taken } = await refusedHousehold();
  const first = requireStatus(await records.correct(taken.id, twoChildren), 200).body as Submission;
  const { refused } = await refusedHousehold(first.resultId ?? "");
  const again = requireStatus(await records.correct(refused.id, twoChildren), 200).body as Submission;
  assert.deepEqual([again.status, again.correctIn], ["refused", "console"]);
  assert.deepEqual(again.details[0], {
    path: "did",
    rule: "not-registered-before",
    message: `Household ${first.resultId} is registered already.`,
    code: "household-registered-already",
    values: { id: first.resultId },
  });
  const did = newDid();
  const last = requireStatus(await records.correct(again.id, [{ path: "did", answer: did }]), 200).body as Submission;
  assert.deepEqual([last.status, last.resultId, last.corrects], ["accepted", did, again.instanceId]);
});

it("tries a record again as it is, and does not confuse the attempts", async () => {
  const { refused } = await refusedHousehold();
  const first = requireStatus(await records.correct(refused.id, []), 200).body as Submission;
  assert.deepEqual([first.status, first.corrects], ["refused", refused.instanceId]);
  const second = requireStatus(await records.correct(first.id, []), 200).body as Submission;
  assert.deepEqual([second.status, second.corrects], ["refused", first.instanceId]);
});

it("names every change that a record cannot have", async () => {
  const { refused } = await refusedHousehold();
  const answer = await records.correct(refused.id, [
    { path: "people.dogs", answer: "1" },
    { path: "photo", answer: "other.jpg" },
    { path: "region", answer: "a" },
    { path: "region", answer: "b" },
  ]);
  assert.deepEqual([answer.status, rulesOf(answer)], [400, ["field-known", "field-once", "file-kept"]]);
  assert.equal((await records.read(refused.id)).status, "refused");
});

it("is for the record's own team, and for a record that is refused", async () => {
  const { refused } = await refusedHousehold();
  const stranger = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
  assert.equal((await records.correct(refused.id, twoChildren, stranger)).status, 404);
  const evaluator = await registry.as("evaluator");
  assert.equal((await records.correct(refused.id, twoChildren, evaluator)).status, 403);
  const accepted = requireStatus(await records.correct(refused.id, twoChildren), 200).body as Submission;
  assert.equal((await records.correct(accepted.id, twoChildren)).status, 409);
});

it("finishes a correction whose request was interrupted, for the person who made it and nobody else", async () => {
  const { did, refused } = await refusedHousehold();
  const { id } = requireStatus(await records.correct(refused.id, twoChildren), 200).body as Submission;
  // As a process leaves it that is killed after writing the household and before storing the outcome.
  const cut = { status: "received" as const, resultId: null, endedAt: null };
  await registry.deps.db.update(odkSubmissions).set(cut).where(eq(odkSubmissions.id, id));
  await phone.forms();
  assert.deepEqual([(await records.read(id)).status, (await records.read(id)).correctIn], ["received", "console"]);
  const colleague = await registry.as("implementer", { implementerDid });
  assert.equal((await records.correct(id, [], colleague)).status, 409);
  assert.equal((await records.correct(refused.id, twoChildren, colleague)).status, 409);
  const finished = requireStatus(await records.correct(id, []), 200).body as Submission;
  assert.deepEqual([finished.id, finished.status, finished.resultId], [id, "accepted", did]);
  assert.deepEqual(requireStatus(await records.correct(refused.id, twoChildren), 200).body, finished);
});

it("corrects a weighing of a visit, and files the claim of its test", async () => {
  const { formId, version } = await phone.form(`kpt-visit.${campaign.campaignId}`);
  const household = campaign.groups.reference.sample[0] ?? "";
  const visit = async (day: number, end: string) => {
    const instanceId = `uuid:${randomUUID()}`;
    await phone.send(
      `<data id="${formId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>${end}</end></fuels><people><women>1</women></people><stoves><kind>three stones</kind><used>yes</used></stoves><meta><instanceID>${instanceId}</instanceID></meta></data>`,
    );
    return await records.findByInstance(instanceId);
  };
  for (const day of [0, 1, 2]) assert.equal((await visit(day, "7")).status, "waiting");
  const wrong = await visit(3, "70");
  assert.equal(wrong.status, "refused");
  assert.deepEqual(
    (await records.read(wrong.id)).fields.filter(({ path }) => path.startsWith("fuels")).map(({ label }) => label),
    [
      "Fuel 1: Fuel",
      "Fuel 1: At the last visit, in kg",
      "Fuel 1: Added since then, in kg",
      "Fuel 1: Left now, in kg",
      "Fuel 1: Container alone, in kg",
      "Fuel 1: Serial number of the scale",
      "Fuel 1: Moisture of the fuel: three pieces, at three points each: What does the meter show?",
    ],
  );
  const done = requireStatus(await records.correct(wrong.id, [{ path: "fuels.0.end", answer: "7" }]), 200)
    .body as Submission;
  assert.match(done.resultId ?? "", /^KPT-/);
  assert.equal((await records.read(wrong.id)).status, "replaced");
});

it("says where to correct what the desk may not: a delivery is its supplier's claim", async () => {
  const supplierDid = "did:ixo:supplier/correction";
  const collect = usePhone(registry.app, await linkOf({ forms: ["delivery"], supplierDid }));
  const { version } = await collect.form("delivery");
  await collect.send(
    `<data id="delivery" version="${version}"><redemption>REDM-1</redemption><meta><instanceID>uuid:delivery</instanceID></meta></data>`,
  );
  const { id, status, correctIn } = await records.findByInstance("uuid:delivery");
  assert.deepEqual([status, correctIn], ["refused", "phone"]);
  const answer = await records.correct(id, []);
  assert.deepEqual([answer.status, /on the phone/.test(JSON.stringify(answer.body))], [409, true]);
});
