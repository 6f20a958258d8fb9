import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { createPublicClient, http } from "viem";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { campaignsAbi } from "../../deployments/abi/campaigns.ts";
import { claimsAbi } from "../../deployments/abi/claims.ts";
import { participantsAbi } from "../../deployments/abi/participants.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  planId,
  registerFrames,
} from "../../test/support/campaigns.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { createIssuer } from "../../test/support/credentials.ts";
import { type KillableServer, startKillableServer } from "../../test/support/killable-server.ts";
import { withPassword } from "../../test/support/odk-digest.ts";
import { type Phone, type RecordFile, usePhone } from "../../test/support/odk-phone.ts";
import {
  type Answer,
  accountOf,
  type Caller,
  exampleCertificate,
  requireStatus,
  withCredential,
} from "../../test/support/registry.ts";
import { attributes, productId, supplierDid } from "../../test/support/vouchers.ts";
import type { CreatedCollector } from "./collectors/schemas.ts";
import type { StoredPhoto, Submission, SubmissionDetail } from "./submissions/schemas.ts";

/** Every step in the long form; otherwise some of them, spread over the whole write. */
const every = process.env.HEARTH_LONG ? 1 : 43;
const sampleSize = process.env.HEARTH_LONG ? 200 : 12;
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a photo")]);
const photo: RecordFile = { name: "a.jpg", type: "image/jpeg", bytes: jpeg };

let server: KillableServer;
let campaign: CampaignResponse;
let phone: Phone;
let implementer: Caller;
/** Households of the campaign that no test has measured yet. */
let unmeasured: string[];

before(async () => {
  server = await startKillableServer();
  const admin = callerWith({});
  await admin("POST", "/implementers", { did: implementerDid, account: accountOf(500), name: "Implementer" });
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  requireStatus(await admin("POST", "/monitoring-plans", { planId, implementerDid, period }), 201);
  const made = requireStatus(await admin("POST", "/keys", { role: "implementer", name: "Team", implementerDid }), 201);
  implementer = callerWith({ authorization: `Bearer ${(made.body as { key: string }).key}` });
  const terms = exampleCampaign({ sampleSize }, sampleSize);
  campaign = await drawnCampaign(implementer, await registerFrames(implementer, terms));
  unmeasured = [...campaign.groups.reference.sample, ...campaign.groups.intervention.sample];
  phone = await phoneWith({ forms: ["household", "kpt"], campaignId: campaign.campaignId });
});
after(() => server?.close());

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === "string" || body instanceof Uint8Array;

/** Call the server as the admin, or with other headers. */
function callerWith(key: Record<string, string>): Caller {
  return async (method, path, body, headers): Promise<Answer> => {
    const answer = await fetch(`${server.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json", ...key, ...headers },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
}

/** Make a collector's link, and a phone that uses it. */
async function phoneWith(about: { forms: string[]; [need: string]: unknown }): Promise<Phone> {
  const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, ...about };
  const made = requireStatus(await callerWith({})("POST", "/odk/collectors", person), 201).body as { url: string };
  return usePhone({ request: fetch }, made.url);
}

/** A request that writes a record, and what it answers then. */
type Sending = { send: () => Promise<{ status: number; text: string }>; status: number; accepted: RegExp };
type Sent = { instanceId: string; xml: string };

/**
 * Send requests, each while the server is killed before another one of its statements, and again to the next server.
 * @param make makes the request, and sends what must come before it; the last request is carried out without a kill
 */
async function repeatWithKills(make: () => Promise<Sending>, stride = every): Promise<void> {
  for (let step = 1; ; step += stride) {
    const { send, status, accepted } = await make();
    const answer = await server.killBefore(step, () => send().catch(() => undefined));
    const survived = answer !== undefined && server.isRunning();
    // Also a server that survived: it would count on.
    await server.killAndStart();
    // The whole write has fewer statements, so all of them were tried.
    if (survived) return void assert.match(answer.text, accepted);
    const again = await send();
    assert.deepEqual([again.status, accepted.test(again.text)], [status, true], `step ${step}: ${again.text}`);
  }
}

/** Send records with kills. @returns their instanceIDs */
async function sendWithKills(make: () => Promise<Sent>, by = phone): Promise<string[]> {
  const sent: string[] = [];
  await repeatWithKills(async () => {
    const { instanceId, xml } = await make();
    sent.push(instanceId);
    const send = async () => {
      const answer = await by.send(xml, [photo]);
      return { status: answer.status, text: await answer.text() };
    };
    return { send, status: 201, accepted: /Received and accepted/ };
  });
  return sent;
}

/** Store a photo for the correction of a record. @returns how the correction names it */
async function storePhoto(id: string, bytes: Buffer): Promise<{ path: string; sha256: string }> {
  const stored = requireStatus(await implementer("POST", `/odk/submissions/${id}/correction/files`, bytes), 201);
  return { path: "photo", sha256: (stored.body as StoredPhoto).sha256 };
}

/**
 * Send records that the rules refuse, and correct them from the desk with kills.
 * @param newPhoto a photo that takes the place of the record's, stored again with each request
 * @returns the ids of the corrections
 */
async function correctWithKills(
  make: () => Promise<Sent>,
  change: { path: string; answer: string },
  newPhoto?: Buffer,
) {
  const corrected: string[] = [];
  await repeatWithKills(async () => {
    const { instanceId, xml } = await make();
    assert.match(await (await phone.send(xml, [photo])).text(), /not accepted/);
    const { id } = (await listed()).find((each) => each.instanceId === instanceId) ?? assert.fail("It is listed.");
    const send = async () => {
      const files = newPhoto === undefined ? [] : [await storePhoto(id, newPhoto)];
      const correction = { answers: [change], files };
      const { status, body } = await implementer("POST", `/odk/submissions/${id}/correction`, correction);
      return { status, text: JSON.stringify(body) };
    };
    corrected.push(instanceId);
    return { send, status: 200, accepted: /"status":"accepted"/ };
  });
  const all = await listed();
  for (const instanceId of corrected) {
    assert.equal(all.find((each) => each.instanceId === instanceId)?.status, "replaced");
    assert.equal(all.filter(({ corrects }) => corrects === instanceId).length, 1, "It has one correction.");
  }
  return all.filter(({ corrects }) => corrects !== null && corrected.includes(corrects)).map((each) => each.instanceId);
}

async function listed(): Promise<Submission[]> {
  const { body } = requireStatus(await callerWith({})("GET", "/odk/submissions?limit=500"), 200);
  return (body as { items: Submission[] }).items;
}

/** Each record is there once, is accepted, and has its photo, and no other. */
async function requireAccepted(instanceIds: string[], content = jpeg): Promise<Submission[]> {
  const all = await listed();
  const found = instanceIds.map((id) => all.filter(({ instanceId }) => instanceId === id));
  assert.deepEqual(
    found.map((rows) => rows.map(({ status }) => status)),
    instanceIds.map(() => ["accepted"]),
  );
  const rows = found.flat();
  for (const { id } of rows) {
    const { body } = requireStatus(await callerWith({})("GET", `/odk/submissions/${id}`), 200);
    const { files } = body as SubmissionDetail;
    assert.deepEqual(
      files.map(({ sha256 }) => sha256),
      [createHash("sha256").update(content).digest("hex")],
    );
  }
  return rows;
}

async function householdRecord(): Promise<Sent> {
  const { version } = await phone.form("household-registration");
  const id = randomUUID();
  return {
    instanceId: `uuid:${id}`,
    xml: `<data id="household-registration" version="${version}"><did>did:ixo:household/${id}</did><region>Lusaka</region><place>-15.4167 28.2833 1280.0 4.5</place><photo>${photo.name}</photo><meta><instanceID>uuid:${id}</instanceID></meta></data>`,
  };
}

/** Each household is registered once, as its record says. */
async function requireRegistered(rows: readonly Submission[]): Promise<void> {
  const client = createPublicClient({ transport: http(server.world.anvil.url) });
  const contract = { abi: participantsAbi, address: server.world.contracts.addresses.participants } as const;
  assert.deepEqual(await client.getContractEvents({ ...contract, eventName: "HouseholdSkipped", fromBlock: 0n }), []);
  const count = await client.readContract({ ...contract, functionName: "householdCount" });
  assert.equal(count, 2 * sampleSize + rows.length);
  for (const { resultId } of rows) {
    const path = `/households/${encodeURIComponent(resultId ?? "")}`;
    assert.partialDeepStrictEqual(requireStatus(await callerWith({})("GET", path), 200).body, {
      region: "Lusaka",
      location: { latitude: -15.4167, longitude: 28.2833 },
    });
  }
}

/** Each test of these visits has filed one claim. */
async function requireClaimed(rows: readonly Submission[]): Promise<void> {
  assert.equal(new Set(rows.map(({ resultId }) => resultId)).size, rows.length);
  const client = createPublicClient({ transport: http(server.world.anvil.url) });
  const contract = { abi: campaignsAbi, address: server.world.contracts.addresses.campaigns, fromBlock: 0n } as const;
  const recorded = await client.getContractEvents({ ...contract, eventName: "KptClaimRecorded" });
  const refused = await client.getContractEvents({ ...contract, eventName: "KptClaimRefused" });
  const claims = new Set((await listed()).flatMap(({ form, resultId }) => (form === "kpt" ? (resultId ?? []) : [])));
  assert.deepEqual([recorded.length, refused.length], [claims.size, 0]);
}

async function visit(household: string, day: number, end = "7"): Promise<Sent> {
  const { version } = await phone.form(`kpt-visit.${campaign.campaignId}`);
  const id = randomUUID();
  return {
    instanceId: `uuid:${id}`,
    xml: `<data id="kpt-visit.${campaign.campaignId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>${end}</end></fuels><people><women>1</women></people><stoves><kind>three stones</kind><used>yes</used></stoves><photo>${photo.name}</photo><meta><instanceID>uuid:${id}</instanceID></meta></data>`,
  };
}

/** The record of a test's last visit, after those of the other days. */
async function lastVisit(end?: string): Promise<Sent> {
  const household = unmeasured.shift() ?? assert.fail("The campaign has more households than steps.");
  for (const day of [0, 1, 2]) {
    const { xml } = await visit(household, day);
    assert.equal((await phone.send(xml, [photo])).status, 201);
  }
  return await visit(household, 3, end);
}

/** A record of a form without a photo's question: each record of these tests has a log of how it was filled, which any form may have. */
async function recordOf(form: string, by: Phone, answers: (id: string) => string): Promise<Sent> {
  const { version } = await by.form(form);
  const id = randomUUID();
  const meta = `<meta><instanceID>uuid:${id}</instanceID><audit>${photo.name}</audit></meta>`;
  return { instanceId: `uuid:${id}`, xml: `<data id="${form}" version="${version}">${answers(id)}${meta}</data>` };
}

/** Issue a voucher under a plan without a period, so that its deliveries count today. @returns its id */
async function issueVoucher(issuer: ReturnType<typeof createIssuer>, recipientDid: string): Promise<string> {
  const admin = callerWith({});
  const [shop, owner] = [accountOf(501), accountOf(502)];
  const other = "did:ixo:implementer/without-plan";
  requireStatus(await admin("POST", "/implementers", { did: other, account: owner, name: "Other" }), 201);
  const supplier = { did: supplierDid, account: shop, name: "Shop", region: "north" };
  requireStatus(await admin("POST", "/suppliers", supplier), 201);
  const product = { productId, name: "Stove", category: "stove", unit: "piece" };
  requireStatus(await admin("POST", "/products", product), 201);
  const credentialTypes = ["EmissionReductionCredential", "ProductDeliveryCredential"];
  requireStatus(await admin("POST", "/issuers", { did: issuer.did, credentialTypes }), 201);
  const certificate = await withCredential(issuer, exampleCertificate({ implementerDid: other }));
  requireStatus(await admin("POST", "/certificates", certificate), 201);
  const { certificateId: emissionCertificateId } = certificate;
  const voucher = { attributes, recipientDid, emissionCertificateId, value: 100 };
  return (requireStatus(await admin("POST", "/vouchers/issue", voucher), 201).body as { id: string }).id;
}

const timeout = 900_000;

test("a household's record ends once, before whichever statement the server is killed", { timeout }, async () => {
  await requireRegistered(await requireAccepted(await sendWithKills(householdRecord)));
});

test("a test's last visit files one claim, before whichever statement the server is killed", { timeout }, async () => {
  await requireClaimed(await requireAccepted(await sendWithKills(() => lastVisit())));
});

test("a corrected visit files its test's claim once, before whichever statement the server is killed", {
  timeout,
}, async () => {
  const made = await correctWithKills(() => lastVisit("70"), { path: "fuels.0.end", answer: "7" });
  await requireClaimed(await requireAccepted(made));
});

test("a correction replaces a photo once, before whichever statement the server is killed", { timeout }, async () => {
  const own = Buffer.concat([jpeg, Buffer.from(" of the right kitchen")]);
  const made = await correctWithKills(() => lastVisit("70"), { path: "fuels.0.end", answer: "7" }, own);
  await requireClaimed(await requireAccepted(made, own));
});

test("a device's record registers it once, before whichever statement the server is killed", { timeout }, async () => {
  const installer = await phoneWith({ forms: ["device"], planId });
  const { formId } = (await installer.forms())[0] ?? assert.fail("The form is offered.");
  const household = campaign.groups.intervention.sample[0] ?? "";
  const answers = (id: string) =>
    `<household>${household}</household><serial>S-${id}</serial><model>Jiko</model><installed_on>2024-01-15</installed_on>`;
  const sent = await sendWithKills(() => recordOf(formId, installer, answers), installer);
  const rows = await requireAccepted(sent);
  const { items } = requireStatus(await callerWith({})("GET", `/devices?planId=${planId}&limit=500`), 200).body as {
    items: { serial: string }[];
  };
  assert.deepEqual(
    items.map(({ serial }) => serial).sort(),
    rows.map(({ instanceId }) => instanceId.replace("uuid:", "S-")).sort(),
  );
});

test("a device is retired, and a scale calibrated, once, before whichever statement the server is killed", {
  timeout,
}, async () => {
  // These requests have few statements.
  const stride = process.env.HEARTH_LONG ? 1 : 5;
  const [householdDid] = campaign.groups.intervention.sample;
  const write = async (method: string, path: string, body: object, key: string) => {
    const answer = await implementer(method, path, body, { "idempotency-key": key });
    return { status: answer.status, text: JSON.stringify(answer.body) };
  };
  await repeatWithKills(async () => {
    const serial = `R-${randomUUID()}`;
    const device = { serial, model: "Jiko", planId, householdDid, installedOn: "2024-01-15" };
    requireStatus(await implementer("POST", "/devices", device), 201);
    const send = () => write("PATCH", `/devices/${serial}`, { retiredOn: "2024-06-01" }, serial);
    return { send, status: 200, accepted: /"retiredOn":"2024-06-01"/ };
  }, stride);
  await repeatWithKills(async () => {
    const serial = `SCALE-${randomUUID()}`;
    const days = { calibratedOn: "2024-01-10", validUntil: "2025-01-09" };
    const calibration = { planId, serial, ...days, certificate: "https://example.org/scale" };
    const send = () => write("POST", "/scales", calibration, serial);
    return { send, status: 201, accepted: /"calibratedOn":"2024-01-10"/ };
  }, stride);
});

test("a collector is made once and made again once, before whichever statement the server is killed", {
  timeout,
}, async () => {
  const stride = process.env.HEARTH_LONG ? 1 : 5;
  const admin = callerWith({});
  const names: string[] = [];
  let latest: CreatedCollector | undefined;
  const sendAs = (path: string, body: object | undefined, key: string) => async () => {
    const answer = await admin("POST", path, body, { "idempotency-key": key });
    // The answer was ready when the server was killed, so it is never made again. The id in it is there to reissue the secrets.
    const [, lost] = /secret-shown-once.* It made (\w+)\./.exec(JSON.stringify(answer.body)) ?? [];
    const shown = lost === undefined ? answer : await admin("POST", `/odk/collectors/${lost}/reissue`);
    if (shown.status < 300) latest = shown.body as CreatedCollector;
    const status = lost === undefined ? answer.status : path.endsWith("/reissue") ? 200 : 201;
    return { status, text: JSON.stringify(shown.body) };
  };
  const requireUsable = async () => {
    const shown = latest ?? assert.fail("A collector was shown.");
    assert.equal((await usePhone({ request: fetch }, shown.url).get("/formList")).status, 200);
    assert.equal((await usePhone(withPassword(shown), shown.digestUrl).get("/formList")).status, 200);
  };
  await repeatWithKills(async () => {
    if (latest !== undefined) await requireUsable();
    const name = `Maria-${randomUUID()}`;
    names.push(name);
    const body = { name, collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household"] };
    return { send: sendAs("/odk/collectors", body, name), status: 201, accepted: /"password":/ };
  }, stride);
  await requireUsable();
  const { id } = latest ?? assert.fail("A collector was shown.");
  await repeatWithKills(async () => {
    await requireUsable();
    return {
      send: sendAs(`/odk/collectors/${id}/reissue`, undefined, randomUUID()),
      status: 200,
      accepted: /"password":/,
    };
  }, stride);
  await requireUsable();
  const namesIn = async (path: string) => {
    const { items } = requireStatus(await admin("GET", `${path}?limit=500`), 200).body as { items: { name: string }[] };
    return items.map(({ name }) => name.replace("ODK: ", "")).filter((name) => names.includes(name));
  };
  assert.deepEqual((await namesIn("/odk/collectors")).sort(), [...names].sort());
  assert.deepEqual((await namesIn("/keys")).sort(), [...names].sort());
});

test("a delivery's record files one claim, before whichever statement the server is killed", { timeout }, async () => {
  const issuer = createIssuer();
  const recipient = campaign.groups.intervention.sample[0] ?? "";
  const voucherId = await issueVoucher(issuer, recipient);
  const driver = await phoneWith({ forms: ["delivery"], supplierDid });
  const sent = await sendWithKills(async () => {
    const order = { supplierDid, productId, voucherId, amount: 1 };
    const redeemed = await callerWith({})("POST", "/vouchers/redeem", order);
    const { redemptionId } = requireStatus(redeemed, 201).body as { redemptionId: string };
    const subject = { redemptionId, productId, supplierDid, deliveredAt: new Date().toISOString(), recipient };
    const credential = await issuer.signCredential({ type: "ProductDeliveryCredential", subject });
    return recordOf(
      "delivery",
      driver,
      () => `<redemption>${redemptionId}</redemption><credential>${credential}</credential>`,
    );
  }, driver);
  const rows = await requireAccepted(sent);
  assert.equal(new Set(rows.map(({ resultId }) => resultId)).size, rows.length);
  const client = createPublicClient({ transport: http(server.world.anvil.url) });
  const contract = { abi: claimsAbi, address: server.world.contracts.addresses.claims, fromBlock: 0n } as const;
  const filed = await client.getContractEvents({ ...contract, eventName: "ClaimFiled" });
  const refused = await client.getContractEvents({ ...contract, eventName: "ClaimRefused" });
  assert.deepEqual([filed.length, refused.length], [rows.length, 0]);
});
