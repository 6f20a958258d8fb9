import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { eq } from "drizzle-orm";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { drawnCampaign, implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { type Phone, usePhone } from "../../test/support/odk-phone.ts";
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
let url: string;
let phone: Phone;
let households: string[];

before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  records = recordsOf(implementer);
  campaign = await drawnCampaign(implementer);
  households = [...campaign.groups.reference.sample, ...campaign.groups.intervention.sample];
  const body = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household", "kpt"] };
  const made = await registry.admin("POST", "/odk/collectors", { ...body, campaignId: campaign.campaignId });
  ({ url } = requireStatus(made, 201).body as { url: string });
  phone = usePhone(registry.app, url);
});
after(() => registry?.close());

const twoChildren = [{ path: "people.children", answer: "2" }];
const newDid = () => `did:ixo:household/${randomUUID()}`;
const newInstance = () => `uuid:${randomUUID()}`;

const isRegistered = async (did: string) =>
  (await implementer("GET", `/households/${encodeURIComponent(did)}`)).status === 200;

async function householdXml({ did = newDid(), instanceId = newInstance(), region = "Lusaka", children = "2" }) {
  const { version } = await phone.form("household-registration");
  return `<data id="household-registration" version="${version}"><did>${did}</did><region>${region}</region><people><children>${children}</children></people><meta><instanceID>${instanceId}</instanceID></meta></data>`;
}

async function refusedHousehold(changes: { did?: string; region?: string } = {}): Promise<Submission> {
  const instanceId = newInstance();
  const xml = await householdXml({ ...changes, instanceId, children: "2.5" });
  assert.match(await (await phone.send(xml)).text(), /not accepted/);
  return await records.findByInstance(instanceId);
}

type Visit = { household: string; day: number; end?: string; start?: string; instanceId?: string };

async function visitXml({ household, day, end = "7", start = "10.0", instanceId = newInstance() }: Visit) {
  const { formId, version } = await phone.form(`kpt-visit.${campaign.campaignId}`);
  return `<data id="${formId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><fuels><fuel>wood</fuel><start>${start}</start><added>0</added><end>${end}</end></fuels><people><women>1</women></people><stoves><kind>three stones</kind><used>yes</used></stoves><meta><instanceID>${instanceId}</instanceID></meta></data>`;
}

async function sendVisit(visit: Omit<Visit, "instanceId">): Promise<Submission> {
  const instanceId = newInstance();
  assert.equal((await phone.send(await visitXml({ ...visit, instanceId }))).status, 201);
  return await records.findByInstance(instanceId);
}

/**
 * Send a record whose body takes long: once the server has read the record itself, and before the body ends, something else
 * happens. The rest is a file that no form names, longer than what the server reads ahead.
 */
async function sendSlowly(xml: string, meanwhile: () => Promise<void>): Promise<string> {
  const head = (name: string) => `Content-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const first = `--x\r\n${head("xml_submission_file")}${xml}\r\n--x\r\n${head("unnamed")}`;
  const filler = new Uint8Array(64 * 1024);
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      pulled += 1;
      if (pulled === 1) controller.enqueue(Buffer.from(first));
      else if (pulled < 10) controller.enqueue(filler);
      else {
        await meanwhile();
        controller.enqueue(Buffer.from("\r\n--x--\r\n"));
        controller.close();
      }
    },
  });
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return await (await registry.app.request(`${url}/submission`, init)).text();
}

it("writes nothing of a record that the team deleted while its body arrived", async () => {
  const did = newDid();
  const instanceId = newInstance();
  const text = await sendSlowly(await householdXml({ did, instanceId }), async () => {
    const { id } = await records.findByInstance(instanceId);
    requireStatus(await implementer("POST", `/odk/submissions/${id}/delete`, { reason: "Sent twice" }), 200);
  });
  assert.match(text, /deleted/);
  assert.deepEqual([(await records.findByInstance(instanceId)).status, await isRegistered(did)], ["deleted", false]);
});

it("shows a record of which nothing but its row arrived before its request was cut off", async () => {
  const instanceId = newInstance();
  const xml = await householdXml({ instanceId });
  assert.equal((await phone.send(xml, [], { isIncomplete: true })).status, 201);
  const { id } = await records.findByInstance(instanceId);
  // Its content is looked for by the hash of its bytes.
  await registry.deps.db
    .update(odkSubmissions)
    .set({ sha256: "0".repeat(64) })
    .where(eq(odkSubmissions.id, id));
  assert.partialDeepStrictEqual(await records.read(id), { status: "incomplete", answers: {}, fields: [], files: [] });
  requireStatus(await implementer("POST", `/odk/submissions/${id}/delete`, { reason: "Cut off" }), 200);
  assert.partialDeepStrictEqual(await records.read(id), { status: "deleted", answers: {} });
});

it("refuses an edit whose record was deleted while the edit's body arrived", async () => {
  const refused = await refusedHousehold();
  const did = newDid();
  const edit = `<meta><deprecatedID>${refused.instanceId}</deprecatedID>`;
  const text = await sendSlowly((await householdXml({ did })).replace("<meta>", edit), async () => {
    const reason = { reason: "Wrong house" };
    requireStatus(await implementer("POST", `/odk/submissions/${refused.id}/delete`, reason), 200);
  });
  assert.match(text, /not accepted. The record that this one corrects was deleted by the team/);
  assert.deepEqual([(await records.read(refused.id)).status, await isRegistered(did)], ["deleted", false]);
});

it("keeps a visit accepted when its phone repeats it while the desk completes the test", async () => {
  const household = households[0] ?? "";
  const instanceId = newInstance();
  const first = await visitXml({ household, day: 0, instanceId });
  assert.equal((await phone.send(first)).status, 201);
  for (const day of [2, 3]) assert.equal((await sendVisit({ household, day })).status, "waiting");
  const wrong = await sendVisit({ household, day: 1, end: "70" });
  let claim: string | null = null;
  const text = await sendSlowly(first, async () => {
    const done = requireStatus(await records.correct(wrong.id, [{ path: "fuels.0.end", answer: "7" }]), 200)
      .body as Submission;
    claim = done.resultId;
  });
  assert.match(claim ?? "", /^KPT-/);
  assert.match(text, /Received and accepted/);
  const { status, resultId } = await records.findByInstance(instanceId);
  assert.deepEqual([status, resultId], ["accepted", claim]);
});

it("keeps the accepted claim of a test whose two wrong visits are corrected at the same time", async () => {
  for (const household of households.slice(1, 3)) {
    for (const day of [0, 3]) assert.equal((await sendVisit({ household, day })).status, "waiting");
    const wrong = [
      await sendVisit({ household, day: 1, end: "70" }),
      await sendVisit({ household, day: 2, end: "70" }),
    ];
    const answers = await Promise.all(
      wrong.map(({ id }) => records.correct(id, [{ path: "fuels.0.end", answer: "7" }])),
    );
    const ids = answers.map((answer) => (requireStatus(answer, 200).body as Submission).id);
    const rows = await Promise.all(ids.map(records.read));
    assert.deepEqual(
      rows.map(({ status, resultId }) => [status, /^KPT-/.test(resultId ?? "")]),
      [
        ["accepted", true],
        ["accepted", true],
      ],
    );
    assert.equal(new Set(rows.map(({ resultId }) => resultId)).size, 1);
  }
});

it("files the claim of a corrected visit whose request was interrupted before it did", async () => {
  const household = households[3] ?? "";
  for (const day of [0, 1, 2]) assert.equal((await sendVisit({ household, day })).status, "waiting");
  const wrong = await sendVisit({ household, day: 3, end: "70" });
  const change = [{ path: "fuels.0.end", answer: "7" }];
  const done = requireStatus(await records.correct(wrong.id, change), 200).body as Submission;
  assert.deepEqual([done.status, done.details], ["accepted", []]);
  // As a process leaves it that is killed when the visit waits and its claim is not filed, or is not recorded.
  for (const [id, answers] of [
    [wrong.id, change],
    [done.id, []],
  ] as const) {
    const cut = { status: "waiting" as const, resultId: null, endedAt: null };
    await registry.deps.db.update(odkSubmissions).set(cut).where(eq(odkSubmissions.id, done.id));
    const finished = requireStatus(await records.correct(id, [...answers]), 200).body as Submission;
    assert.deepEqual([finished.id, finished.status, finished.resultId], [done.id, "accepted", done.resultId]);
  }
});

it("lets no correction take the day or the household of another visit", async () => {
  const [one = "", other = ""] = households.slice(4);
  assert.equal((await sendVisit({ household: one, day: 0 })).status, "waiting");
  const sameDay = await sendVisit({ household: one, day: 1, end: "70" });
  const moved = requireStatus(
    await records.correct(sameDay.id, [
      { path: "day", answer: "0" },
      { path: "fuels.0.end", answer: "7" },
    ]),
    200,
  ).body as Submission;
  assert.deepEqual([moved.status, moved.details[0]?.rule], ["refused", "visit-days"]);
  const elsewhere = await sendVisit({ household: other, day: 0, end: "70" });
  const taken = requireStatus(
    await records.correct(elsewhere.id, [
      { path: "household", answer: one },
      { path: "fuels.0.end", answer: "7" },
    ]),
    200,
  ).body as Submission;
  assert.deepEqual([taken.status, taken.details[0]?.rule], ["refused", "visit-days"]);
});

it("reads a decimal with zeros before it, and files the claim of its test", async () => {
  const household = households[5] ?? "";
  for (const day of [0, 1, 2]) {
    assert.equal((await sendVisit({ household, day, start: "0010.0", end: "07.00" })).status, "waiting");
  }
  const last = await sendVisit({ household, day: 3, start: "010", end: "007" });
  assert.deepEqual([last.status, last.details], ["accepted", []]);
});

it("reads a place with zeros before its degrees", async () => {
  const did = newDid();
  const xml = (await householdXml({ did })).replace("<meta>", "<place>-015.4167 028.2833 0 04.5</place><meta>");
  assert.match(await (await phone.send(xml)).text(), /Received and accepted/);
  const { body } = requireStatus(await implementer("GET", `/households/${encodeURIComponent(did)}`), 200);
  assert.deepEqual((body as { location: unknown }).location, { latitude: -15.4167, longitude: 28.2833 });
});

for (const text of [
  "1e3",
  "１０",
  "-1",
  "0x10",
  "+1",
  "1_0",
  "1.0000001",
  "9".repeat(400),
  "NaN",
  "Infinity",
  "1,5",
  ".5",
  "5.",
]) {
  it(`refuses the amount ${text.slice(0, 12)} by its rule, in a record and in its correction`, async () => {
    const household = households[7] ?? "";
    const visit = await sendVisit({ household, day: 0, start: text });
    assert.deepEqual([visit.status, visit.details.map(({ path }) => path)], ["refused", ["fuels.0.start"]]);
    const again = requireStatus(await records.correct(visit.id, [{ path: "fuels.0.end", answer: text }]), 200);
    const { status, details } = again.body as Submission;
    assert.deepEqual([status, details.map(({ path }) => path)], ["refused", ["fuels.0.start", "fuels.0.end"]]);
  });
}

it("lets one of two edits take the place of a refused record that both began with", async () => {
  const refused = await refusedHousehold();
  const dids = [newDid(), newDid()];
  const edit = `<meta><deprecatedID>${refused.instanceId}</deprecatedID>`;
  const edits = await Promise.all(dids.map(async (did) => (await householdXml({ did })).replace("<meta>", edit)));
  for (const xml of edits) assert.equal((await phone.send(xml, [], { isIncomplete: true })).status, 201);
  const answers = [];
  for (const xml of edits) answers.push(await (await phone.send(xml)).text());
  assert.match(answers[0] ?? "", /Received and accepted/);
  assert.match(answers[1] ?? "", /not accepted. Another edit of the same record came first/);
  assert.deepEqual(await Promise.all(dids.map(isRegistered)), [true, false]);
  // The one that came first may be repeated.
  assert.match(await (await phone.send(edits[0] ?? "")).text(), /Received and accepted/);
});

it("writes a record whose request was interrupted before its edit, so that one of them is written", async () => {
  const did = newDid();
  const instanceId = newInstance();
  const xml = await householdXml({ did, instanceId });
  assert.match(await (await phone.send(xml)).text(), /Received and accepted/);
  const { id } = await records.findByInstance(instanceId);
  const other = newDid();
  const edit = (await householdXml({ did: other })).replace(
    "<meta>",
    `<meta><deprecatedID>${instanceId}</deprecatedID>`,
  );
  // As a process leaves it that is killed when the household is registered, and the record does not say so.
  const cut = { status: "received" as const, resultId: null, endedAt: null };
  await registry.deps.db.update(odkSubmissions).set(cut).where(eq(odkSubmissions.id, id));
  const text = await (await phone.send(edit)).text();
  assert.match(text, /not accepted. The record was accepted already/);
  const { status, resultId } = await records.read(id);
  assert.deepEqual([status, resultId, await isRegistered(other)], ["accepted", did, false]);
});

it("names the rule when a corrected record would be too large to be read again", async () => {
  // In a phone's record, quotes are one character; where they are escaped, five.
  const refused = await refusedHousehold({ region: `"`.repeat(300_000) });
  for (const answers of [[], [{ path: "people.children", answer: "2" }]]) {
    const answer = await records.correct(refused.id, answers);
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["record-size"]]);
  }
});

it("names the rule of an answer that no record can hold", async () => {
  const refused = await refusedHousehold();
  for (const answer of [
    "a\u0000",
    "a\u0001",
    "\ufffe",
    "\ud800",
    "\u202ea",
    "]]>",
    "<!DOCTYPE x>",
    "&amp;",
    "a\r\nb",
  ]) {
    const answered = await records.correct(refused.id, [{ path: "region", answer }]);
    const isCorrected = answered.status === 200;
    assert.ok(isCorrected || answered.status === 400, `${JSON.stringify(answer)} ${answered.status}`);
    if (!isCorrected) continue;
    const { id, status } = answered.body as Submission;
    assert.equal(status, "refused");
    assert.equal((await records.read(id)).answers.region, answer.replace("\r\n", "\n"));
    return;
  }
});

it("answers for another team's record as for an unknown one, and lets only the team correct", async () => {
  const refused = await refusedHousehold();
  const stranger = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
  const unknown = "01KQ5X7Z8M2B4C6D8E0F1G2H3J";
  const bodyOf = async (id: string) => {
    const { status, body } = await records.correct(id, twoChildren, stranger);
    const { requestId: _, ...rest } = body as { requestId: string };
    return [status, JSON.stringify(rest).replaceAll(id, "ID")];
  };
  assert.deepEqual(await bodyOf(refused.id), await bodyOf(unknown));
  const all = ["households:write", "devices:write", "kpt:write", "campaigns:write", "campaigns:read", "claims:write"];
  const others = [
    await registry.as("integrator", { scopes: all }),
    await registry.as("integrator", { scopes: all, dids: [implementerDid] }),
    await registry.as("evaluator"),
    await registry.as("regulator"),
  ];
  for (const other of others) assert.equal((await records.correct(refused.id, twoChildren, other)).status, 403);
  assert.equal(
    (await registry.app.request(`/v1/odk/submissions/${refused.id}/correction`, { method: "POST" })).status,
    401,
  );
  assert.equal((await records.read(refused.id)).status, "refused");
});

it("changes nobody who collected and no time of arrival, whatever a correction names", async () => {
  const refused = await refusedHousehold();
  const paths = [
    "meta.instanceID",
    "meta.deprecatedID",
    "meta.audit",
    "collector",
    "at",
    "receivedAt",
    "people",
    "__proto__",
  ];
  const answer = await records.correct(
    refused.id,
    paths.map((path) => ({ path, answer: "x" })),
  );
  assert.deepEqual([answer.status, rulesOf(answer)], [400, paths.map(() => "field-known")]);
  const extra = await implementer("POST", `/odk/submissions/${refused.id}/correction`, {
    answers: [],
    collectorId: "x",
  });
  assert.equal(extra.status, 400);
});

it("makes one record of two different corrections at the same time", async () => {
  const refused = await refusedHousehold();
  const dids = [newDid(), newDid()];
  const answers = await Promise.all(
    dids.map((did) =>
      records.correct(refused.id, [
        { path: "did", answer: did },
        { path: "people.children", answer: "2" },
      ]),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const registered = await Promise.all(dids.map(isRegistered));
  assert.deepEqual(registered.filter((each) => each).length, 1);
});

it("runs a correction once under an Idempotency-Key, and refuses the key for another one", async () => {
  const refused = await refusedHousehold();
  const send = (answer: string, id = refused.id) =>
    implementer(
      "POST",
      `/odk/submissions/${id}/correction`,
      { answers: [{ path: "people.children", answer }] },
      { "idempotency-key": "desk-1" },
    );
  const first = requireStatus(await send("2"), 200);
  assert.equal(requireStatus(await send("2"), 200).headers.get("idempotency-replayed"), "true");
  assert.deepEqual([(await send("3")).status, (first.body as Submission).status], [409, "accepted"]);
  const other = await refusedHousehold();
  assert.equal((await send("2", other.id)).status, 409);
  assert.equal((await records.read(other.id)).status, "refused");
});
