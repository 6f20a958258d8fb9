import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, afterEach, before, describe, it } from "node:test";
import { eq, sql } from "drizzle-orm";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  planId,
  registerFrames,
  registerPlans,
} from "../../test/support/campaigns.ts";
import {
  type KoboAnswers,
  type KoboFile,
  type KoboPeer,
  koboToken,
  startKoboPeer,
} from "../../test/support/kobo-peer.ts";
import { usePhone } from "../../test/support/odk-phone.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  requireStatus,
  rulesOf,
} from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import type { Connection, ConnectionCheck, ConnectionDetail, ConnectionFields } from "./connections/schemas.ts";
import { koboBells, koboConnections } from "./tables.ts";

type Submission = {
  id: string;
  instanceId: string;
  corrects: string | null;
  status: string;
  resultId: string | null;
  collector: { id: string; name: string | null };
  details: { path?: string; rule: string; message: string }[];
};

let registry: RegistryTest;
let implementer: Caller;
let campaign: CampaignResponse;
let ending: CampaignResponse;
const peers: KoboPeer[] = [];

before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  const body = await registerFrames(registry.admin, exampleCampaign({ emissions: { area: "ZMB", fuel: "wood" } }));
  campaign = await drawnCampaign(implementer, body);
  ending = await drawnCampaign(implementer);
});
after(() => registry?.close());
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

async function openPeer(survey?: Record<string, unknown>[]): Promise<KoboPeer> {
  const peer = await startKoboPeer(survey);
  peers.push(peer);
  return peer;
}

const bodyOf = (peer: KoboPeer, changes: object = {}) => ({
  name: "Lusaka",
  serverUrl: `${peer.url}/`,
  assetUid: peer.assetUid,
  token: koboToken,
  form: "household",
  collectorDid: "did:key:z6MkMaria",
  implementerDid,
  ...changes,
});

async function connect(peer: KoboPeer, changes: object = {}): Promise<Connection> {
  const answer = await registry.admin("POST", "/kobo/connections", bodyOf(peer, changes));
  return requireStatus(answer, 201).body as Connection;
}

async function ring(peer: KoboPeer, root: string): Promise<Response> {
  const { path, init } = peer.call(root);
  return await registry.app.request(path, init);
}

/** The record of a connection, once it is in one of the states. */
async function recordOf(connection: Connection, ...states: string[]): Promise<Submission> {
  return (await recordsOf(connection, 1, ...states))[0] as Submission;
}

async function recordsOf(connection: Connection, count: number, ...states: string[]): Promise<Submission[]> {
  return await untilFound(async () => {
    const path = `/odk/submissions?limit=500&collectorId=${connection.id}`;
    const { items } = requireStatus(await implementer("GET", path), 200).body as { items: Submission[] };
    const found = items.filter(({ status }) => states.includes(status));
    return found.length >= count ? found : undefined;
  });
}

const bellOf = async (root: string) =>
  (await registry.deps.db.select().from(koboBells).where(eq(koboBells.rootUuid, root)))[0];

/** The bell of a record, once nothing is left to do. */
const done = (root: string) =>
  untilFound(async () => {
    const bell = await bellOf(root);
    return bell !== undefined && bell.ringsDone === bell.rings ? bell : undefined;
  });

async function detailOf(id: string): Promise<ConnectionDetail> {
  return requireStatus(await registry.admin("GET", `/kobo/connections/${id}`), 200).body as ConnectionDetail;
}

let next = 0;
const newDid = () => `did:ixo:household/kobo-${++next}`;
const household = (did: string, changes: KoboAnswers = {}): KoboAnswers => ({
  did,
  region: "Lusaka",
  place: "-15.4167 28.2833 1280.0 4.5",
  "people/children": "2",
  "people/women": "1",
  ...changes,
});
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a photo")]);
const photo = (name: string): KoboFile => ({ name, question: "photo", type: "image/jpeg", bytes: jpeg });

describe("a connection", () => {
  it("makes the hook at Kobo, with its own name and password and without answers in its calls", async () => {
    const peer = await openPeer();
    const made = await connect(peer);
    assert.partialDeepStrictEqual(made, { serverUrl: peer.url, form: "household", revokedAt: null });
    assert.equal(peer.hooks.length, 1);
    const [hook] = peer.hooks;
    assert.equal(made.hookUid, hook?.uid);
    assert.match(hook?.endpoint ?? "", new RegExp(`^http://\\S+/kobo/hooks/${made.id}$`));
    assert.partialDeepStrictEqual(hook?.body, {
      auth_level: "basic_auth",
      export_type: "json",
      settings: { username: made.id },
      subset_fields: ["_uuid", "meta/rootUuid"],
    });
    assert.match(String(hook?.settings.password), /^hb_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  });

  it("is refused with an address to which no path can be added, before Kobo is asked", async () => {
    const peer = await openPeer();
    const serverUrl = `${peer.url.replace("//", "//u:p@")}/?a=1#b`;
    const answer = await registry.admin("POST", "/kobo/connections", bodyOf(peer, { serverUrl }));
    const wanted = ["url-without-fragment", "url-without-query", "url-without-user"];
    assert.deepEqual([answer.status, rulesOf(answer)], [400, wanted]);
  });

  it("keeps Kobo's token, the hook's password and its own key sealed", async () => {
    const peer = await openPeer();
    const { id } = await connect(peer);
    const [row] = await registry.deps.db.select().from(koboConnections).where(eq(koboConnections.id, id));
    const answers = [await detailOf(id), (await registry.admin("GET", "/kobo/connections")).body, row];
    for (const secret of [koboToken, String(peer.hooks[0]?.settings.password), "hk_"]) {
      assert.ok(!JSON.stringify(answers).includes(secret), secret);
    }
    for (const answer of answers.slice(0, 2)) assert.doesNotMatch(JSON.stringify(answer), /sealed/);
  });

  it("may do by its API key only what its form needs", async () => {
    const { keyId } = await connect(await openPeer(), { form: "device", planId });
    const key = requireStatus(await registry.admin("GET", `/keys/${keyId}`), 200).body as { scopes: string[] };
    assert.partialDeepStrictEqual(key, { role: "integrator", dids: [implementerDid] });
    assert.deepEqual(key.scopes.sort(), ["devices:write", "households:read"]);
  });

  it("is made by admins only, once for a project, and leaves no key behind when it fails", async () => {
    const peer = await openPeer();
    assert.equal((await implementer("POST", "/kobo/connections", bodyOf(peer))).status, 403);
    await connect(peer);
    const keysBefore = await validKeys();
    const again = await registry.admin("POST", "/kobo/connections", bodyOf(peer));
    assert.deepEqual([again.status, rulesOf(again)], [409, ["connected-once"]]);
    assert.equal(await validKeys(), keysBefore);
  });

  for (const [name, changes, rules] of [
    ["a wrong token", { token: "wrong" }, ["kobo-token"]],
    ["an unknown project", { assetUid: "aUnknown" }, ["kobo-project"]],
    ["an address that is not public", { serverUrl: "https://10.1.2.3" }, ["kobo-server"]],
    ["http to another machine", { serverUrl: "http://kobo.example" }, ["kobo-server"]],
    ["a form that lacks its campaign", { form: "kpt" }, ["required-for-form"]],
    ["an unknown campaign", { form: "kpt", campaignId: "NONE" }, ["campaign-known"]],
    [
      "a mapping that fits neither form",
      {
        mapping: [
          { field: "nothing", question: "a" },
          { field: "did", question: "b" },
          { field: "did", question: "b" },
        ],
      },
      ["field-known", "field-once", "question-known", "question-known", "question-known"],
    ],
  ] as [string, object, string[]][]) {
    it(`is refused for ${name}`, async () => {
      const peer = await openPeer();
      const keysBefore = await validKeys();
      const answer = await registry.admin("POST", "/kobo/connections", bodyOf(peer, changes));
      assert.deepEqual(rulesOf(answer), rules, JSON.stringify(answer.body));
      assert.ok(answer.status === 400 || answer.status === 404);
      assert.equal(peer.hooks.length, 0);
      assert.equal(await validKeys(), keysBefore);
    });
  }

  it("is refused for a project that is not deployed", async () => {
    const peer = await openPeer();
    peer.state.isDeployed = false;
    const answer = await registry.admin("POST", "/kobo/connections", bodyOf(peer));
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["kobo-deployed"]]);
  });

  it("ends with its key and its hook, also when Kobo is away at first", async () => {
    const peer = await openPeer();
    const { id, keyId, hookUid } = await connect(peer);
    const root = peer.add(household(newDid()));
    const { path, init } = peer.call(root);
    peer.state.isDown = true;
    const first = requireStatus(await registry.admin("DELETE", `/kobo/connections/${id}`), 200).body as Connection;
    assert.ok(first.revokedAt !== null && first.hookUid === hookUid);
    assert.equal((await registry.app.request(path, init)).status, 403);
    const key = requireStatus(await registry.admin("GET", `/keys/${keyId}`), 200).body as { revokedAt: string | null };
    assert.notEqual(key.revokedAt, null);
    peer.state.isDown = false;
    const second = requireStatus(await registry.admin("DELETE", `/kobo/connections/${id}`), 200).body as Connection;
    assert.deepEqual([second.revokedAt, second.hookUid], [first.revokedAt, null]);
    assert.equal(peer.hooks.length, 0);
    assert.equal((await registry.admin("POST", `/kobo/connections/${id}/check`)).status, 409);
    await connect(peer);
  });
});

async function validKeys(): Promise<number> {
  const { items } = (await registry.admin("GET", "/keys?limit=500")).body as { items: { revokedAt: string | null }[] };
  return items.filter(({ revokedAt }) => revokedAt === null).length;
}

describe("a bell", () => {
  it("is answered immediately; the household is registered from Kobo's record, once however often it rings", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const did = newDid();
    const root = peer.add(household(did));
    for (const _ of [1, 2, 3]) assert.equal((await ring(peer, root)).status, 202);
    const record = await recordOf(connection, "accepted");
    assert.partialDeepStrictEqual(record, { resultId: did, collector: { id: connection.id, name: "Lusaka" } });
    const found = requireStatus(await registry.admin("GET", `/households/${encodeURIComponent(did)}`), 200).body;
    assert.partialDeepStrictEqual(found, {
      region: "Lusaka",
      householdSize: { children: 2, women: 1, men: 0, elderly: 0 },
      location: { latitude: -15.4167, longitude: 28.2833 },
    });
    await done(root);
    assert.equal((await recordsOf(connection, 1, "accepted", "refused", "received", "incomplete")).length, 1);
    assert.partialDeepStrictEqual(await detailOf(connection.id), { waiting: 0, failing: 0, lastError: null });
  });

  it("with a wrong password, of an unknown connection, or without a record is refused and stores nothing", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid()));
    const { path, init } = peer.call(root);
    const wrong = { ...init, headers: { ...init.headers, authorization: `Basic ${btoa(`${connection.id}:x`)}` } };
    const none = { ...init, headers: { "content-type": "application/json" } };
    const answers = [];
    for (const [at, each] of [
      [path, wrong],
      [path, none],
      ["/kobo/hooks/unknown", init],
    ] as const) {
      const answer = await registry.app.request(at, each);
      answers.push([answer.status, await answer.text()]);
    }
    assert.equal(answers[0]?.[0], 403);
    assert.deepEqual(answers, Array(3).fill(answers[0]));
    for (const body of ["x", "[]", "{}", '{"_uuid": 7}']) {
      assert.equal((await registry.app.request(path, { ...init, body })).status, 400, body);
    }
    assert.equal(await bellOf(root), undefined);
  });

  it("gets 503 when it cannot be stored, which Kobo repeats", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid()));
    const { db } = registry.deps;
    await db.execute(sql`alter table kobo_bells rename to kobo_bells_away`);
    const answer = await ring(peer, root);
    await db.execute(sql`alter table kobo_bells_away rename to kobo_bells`);
    assert.equal(answer.status, 503);
    assert.equal((await ring(peer, root)).status, 202);
    await recordOf(connection, "accepted");
  });

  it("that was stored before the server stopped is handled afterwards, also when it was being handled", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid()));
    const past = new Date(Date.now() - 1_000);
    // As a process leaves it that is killed while it reads the record.
    await registry.deps.db.insert(koboBells).values({
      connectionId: connection.id,
      rootUuid: root,
      rings: 1,
      ringsDone: 0,
      tries: 0,
      nextTryAt: past,
      leaseUntil: past,
      rungAt: past,
    });
    // Otherwise it is found within a minute: an idle process looks no more often.
    assert.equal((await ring(peer, peer.add(household(newDid())))).status, 202);
    await untilFound(async () => ((await bellOf(root))?.ringsDone === 1 ? true : undefined));
  });

  it("waits while Kobo is away, says why, and is done by the next one", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid()));
    const { path, init } = peer.call(root);
    peer.state.isDown = true;
    await registry.app.request(path, init);
    await untilFound(async () => (await bellOf(root))?.lastError ?? undefined);
    assert.partialDeepStrictEqual(await detailOf(connection.id), {
      waiting: 1,
      failing: 1,
      lastError: "KoboToolbox answers 503.",
    });
    peer.state.isDown = false;
    await registry.app.request(path, init);
    await recordOf(connection, "accepted");
  });

  it("of a record that was deleted at Kobo ends", async () => {
    const peer = await openPeer();
    await connect(peer);
    const root = peer.add(household(newDid()));
    const { path, init } = peer.call(root);
    peer.remove(root);
    await registry.app.request(path, init);
    assert.match((await done(root)).lastError ?? "", /no longer has this record/);
  });
});

describe("a record", () => {
  it("is refused with every reason, and an edit, for which Kobo does not ring, takes its place", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const did = newDid();
    const root = peer.add(household(did, { "people/children": "2.5", "people/women": "-1" }));
    await ring(peer, root);
    const refused = await recordOf(connection, "refused");
    assert.deepEqual(
      refused.details.map(({ path, rule }) => [path, rule]),
      [
        ["people.children", "range"],
        ["people.women", "range"],
      ],
    );
    await done(root);
    peer.edit(root, { "people/children": "3", "people/women": "1" });
    const check = await registry.admin("POST", `/kobo/connections/${connection.id}/check`);
    assert.partialDeepStrictEqual(requireStatus(check, 200).body, { records: 1, changed: 1, hook: "active" });
    const accepted = await recordOf(connection, "accepted");
    assert.deepEqual([accepted.resultId, accepted.corrects], [did, refused.instanceId]);
    assert.equal((await recordOf(connection, "replaced")).id, refused.id);
    await done(root);
    peer.edit(root, { region: "Kitwe" });
    await registry.admin("POST", `/kobo/connections/${connection.id}/check`);
    const late = await recordOf(connection, "refused");
    assert.deepEqual(
      late.details.map(({ rule }) => rule),
      ["accepted-once"],
    );
  });

  it("is read by the mapping, and again by a new one when it was refused", async () => {
    const peer = await openPeer([
      { type: "text", name: "code", $xpath: "code", label: ["Code"] },
      { type: "begin_group", name: "family" },
      { type: "integer", name: "children", label: ["Children"] },
      { type: "integer", $autoname: "ladies" },
      { type: "end_group" },
    ]);
    const group = { field: "people", question: "family" };
    const connection = await connect(peer, { mapping: [group] });
    const did = newDid();
    const root = peer.add({ code: did, "family/children": "4", "family/ladies": "2" });
    await ring(peer, root);
    assert.deepEqual(
      (await recordOf(connection, "refused")).details.map(({ path, rule }) => [path, rule]),
      [["did", "required"]],
    );
    const fields = requireStatus(await registry.admin("GET", `/kobo/connections/${connection.id}/fields`), 200)
      .body as ConnectionFields;
    assert.partialDeepStrictEqual(fields.questions, [
      { path: "code", label: "Code" },
      { path: "family", type: "group" },
      { path: "family/children", type: "integer" },
      { path: "family/ladies" },
    ]);
    const ofField = (name: string) => fields.fields.find(({ field }) => field === name);
    assert.partialDeepStrictEqual(ofField("did"), { required: true, question: "did", found: false });
    assert.partialDeepStrictEqual(ofField("people/children"), { question: "family/children", found: true });
    const mapping = [group, { field: "did", question: "code" }, { field: "people/women", question: "family/ladies" }];
    requireStatus(await registry.admin("PUT", `/kobo/connections/${connection.id}/mapping`, { mapping }), 200);
    await ring(peer, root);
    await recordOf(connection, "accepted");
    const found = requireStatus(await registry.admin("GET", `/households/${encodeURIComponent(did)}`), 200).body;
    assert.partialDeepStrictEqual(found, { householdSize: { children: 4, women: 2 } });
  });

  it("comes with its photos and with what Kobo sent; the token does not go where files are kept", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    peer.state.filesElsewhere = true;
    const did = newDid();
    const answers = household(did, { photo: "my kitchen.jpg", consent: "sign.jpg", "not asked": "kept" });
    const root = peer.add(answers, [photo("my_kitchen.jpg"), { ...photo("sign.jpg"), question: "consent" }]);
    await ring(peer, root);
    const { id } = await recordOf(connection, "accepted");
    const { files } = requireStatus(await implementer("GET", `/odk/submissions/${id}`), 200).body as {
      files: { name: string; size: number }[];
    };
    assert.deepEqual(files.map(({ name }) => name).sort(), ["kobo.json", "my kitchen.jpg", "sign.jpg"]);
    assert.equal(files.find(({ name }) => name === "sign.jpg")?.size, jpeg.length);
    assert.equal(peer.state.tokensElsewhere, 0);
  });

  it("waits for a photo that Kobo does not have yet, and refuses what is not a photo", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid(), { photo: "a.jpg" }));
    await ring(peer, root);
    await untilFound(async () => (await bellOf(root))?.lastError ?? undefined);
    await recordOf(connection, "incomplete");
    peer.addFile(root, photo("a.jpg"));
    await ring(peer, root);
    await recordOf(connection, "accepted");
    const html = { ...photo("b.jpg"), bytes: Buffer.from("<html>") };
    const other = peer.add(household(newDid(), { photo: "b.jpg" }), [html]);
    await ring(peer, other);
    assert.deepEqual(
      (await recordOf(connection, "refused")).details.map(({ path, rule }) => [path, rule]),
      [["b.jpg", "photo"]],
    );
  });

  it("becomes a device", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "device", planId });
    const answers = { serial: "KOBO-1", model: "Jiko 2", installed_on: "2024-01-02" };
    const root = peer.add({ household: campaign.groups.intervention.sample[0], ...answers });
    await ring(peer, root);
    assert.equal((await recordOf(connection, "accepted")).resultId, "KOBO-1");
    assert.partialDeepStrictEqual(requireStatus(await implementer("GET", "/devices/KOBO-1"), 200).body, {
      model: "Jiko 2",
    });
  });

  it("that the team deleted stays deleted, whatever is edited at Kobo", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid(), { "people/children": "many" }));
    await ring(peer, root);
    const { id } = await recordOf(connection, "refused");
    requireStatus(await implementer("POST", `/odk/submissions/${id}/delete`, { reason: "test record" }), 200);
    await done(root);
    peer.edit(root, { "people/children": "1" });
    await registry.admin("POST", `/kobo/connections/${connection.id}/check`);
    assert.deepEqual(
      (await recordOf(connection, "refused")).details.map(({ rule }) => rule),
      ["deleted"],
    );
  });
});

describe("a second edit", () => {
  /** Edit a record at Kobo, and let Hearth find the new version. */
  async function edit(peer: KoboPeer, connection: Connection, root: string, changes: KoboAnswers): Promise<void> {
    await done(root);
    peer.edit(root, changes);
    requireStatus(await registry.admin("POST", `/kobo/connections/${connection.id}/check`), 200);
  }
  const rulesOfLast = async (connection: Connection) => (await newest(connection)).details.map(({ rule }) => rule);
  /** The version of a connection's record that was read last, once it was written or refused. */
  const newest = (connection: Connection, versions = 3) =>
    untilFound(async () => {
      const path = `/odk/submissions?limit=500&collectorId=${connection.id}`;
      const { items } = requireStatus(await implementer("GET", path), 200).body as { items: Submission[] };
      const [last] = items;
      return items.length === versions && !["incomplete", "received"].includes(last?.status ?? "") ? last : undefined;
    });

  it("of a record that was accepted writes nothing", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "device", planId });
    const answers = { serial: "KOBO-EDITED-1", model: "Jiko 2", installed_on: "2024-01-02" };
    const root = peer.add({ household: campaign.groups.intervention.sample[0], ...answers });
    await ring(peer, root);
    await recordOf(connection, "accepted");
    await edit(peer, connection, root, { serial: "KOBO-EDITED-2" });
    await recordOf(connection, "refused");
    await edit(peer, connection, root, { serial: "KOBO-EDITED-3" });
    assert.deepEqual(await rulesOfLast(connection), ["accepted-once"]);
    for (const serial of ["KOBO-EDITED-2", "KOBO-EDITED-3"]) {
      assert.equal((await implementer("GET", `/devices/${serial}`)).status, 404, serial);
    }
  });

  it("of a record that the team deleted writes nothing", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    const root = peer.add(household(newDid(), { "people/children": "many" }));
    await ring(peer, root);
    const { id } = await recordOf(connection, "refused");
    requireStatus(await implementer("POST", `/odk/submissions/${id}/delete`, { reason: "test record" }), 200);
    await edit(peer, connection, root, { "people/children": "1" });
    await recordOf(connection, "refused");
    await edit(peer, connection, root, { "people/children": "2" });
    assert.deepEqual(await rulesOfLast(connection), ["deleted"]);
  });

  it("takes the place of the first version, too, when the one in between never became complete", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "household" });
    const did = newDid();
    const root = peer.add(household(did, { "people/children": "many" }));
    await ring(peer, root);
    await recordOf(connection, "refused");
    await done(root);
    // Kobo does not have this photo.
    peer.edit(root, { "people/children": "1", photo: "never.jpg" });
    requireStatus(await registry.admin("POST", `/kobo/connections/${connection.id}/check`), 200);
    await recordOf(connection, "incomplete");
    await untilFound(async () => (await bellOf(root))?.lastError ?? undefined);
    peer.edit(root, { "people/children": "2", photo: "" });
    await ring(peer, root);
    assert.equal((await recordOf(connection, "accepted")).resultId, did);
    assert.equal((await recordsOf(connection, 2, "replaced")).length, 2);
  });
});

describe("KPT visits", () => {
  const visit = (householdDid: string, day: number): KoboAnswers => ({
    household: householdDid,
    day: String(day),
    at: `2024-02-0${day + 1}T17:30:00.000+02:00`,
    fuels: [
      { "fuels/fuel": "wood", "fuels/start": "10", "fuels/added": "0.500", "fuels/end": "7.25" },
      { "fuels/fuel": "charcoal", "fuels/start": "2", "fuels/added": "0", "fuels/end": "1.4" },
    ],
    "people/women": "1",
    stoves: [{ "stoves/kind": "three stones", "stoves/used": "yes" }],
    photo: `${day}.jpg`,
  });

  it("become one claim with their photos, also when one of them comes from ODK Collect", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "kpt", campaignId: campaign.campaignId });
    const did = campaign.groups.reference.sample[0] ?? "";
    for (const day of [3, 0, 2]) await ring(peer, peer.add(visit(did, day), [photo(`${day}.jpg`)]));
    await recordsOf(connection, 3, "waiting");
    const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["kpt"] };
    const made = await registry.admin("POST", "/odk/collectors", { ...person, campaignId: campaign.campaignId });
    const phone = usePhone(registry.app, (requireStatus(made, 201).body as { url: string }).url);
    const { formId, version } = await phone.form(`kpt-visit.${campaign.campaignId}`);
    const fuels = ["wood 10 0.5 7.25", "charcoal 2 0 1.4"].map((each) => {
      const [fuel, start, added, end] = each.split(" ");
      return `<fuels><fuel>${fuel}</fuel><start>${start}</start><added>${added}</added><end>${end}</end></fuels>`;
    });
    const xml = `<data id="${formId}" version="${version}"><household>${did}</household><day>1</day><at>2024-02-02T17:30:00.000+02:00</at>${fuels.join("")}<people><women>1</women></people><meta><instanceID>uuid:${randomUUID()}</instanceID></meta></data>`;
    const sent = await (await phone.send(xml)).text();
    const [claimId] = /KPT-[0-9A-Z]{20,}/.exec(sent) ?? [];
    assert.ok(claimId, sent);
    const records = await recordsOf(connection, 3, "accepted");
    assert.deepEqual(
      records.map(({ resultId }) => resultId),
      [claimId, claimId, claimId],
    );
    const claim = requireStatus(await implementer("GET", `/claims/${claimId}`), 200).body as {
      credential: { evidence: string[] };
    };
    assert.partialDeepStrictEqual(claim, { householdId: did, testGroup: "reference" });
    // The stored claim, then a photo and the original of each of Kobo's records.
    assert.equal(claim.credential.evidence.length, 1 + 2 * 3);
  });

  it("leave their day to a later version, also when the one in between never became complete", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "kpt", campaignId: campaign.campaignId });
    const did = campaign.groups.reference.sample[2] ?? "";
    const root = peer.add(visit(did, 0), [{ ...photo("0.jpg"), question: "" }]);
    await ring(peer, root);
    await recordOf(connection, "waiting");
    await done(root);
    peer.edit(root, { photo: "never.jpg" });
    requireStatus(await registry.admin("POST", `/kobo/connections/${connection.id}/check`), 200);
    await recordOf(connection, "incomplete");
    await untilFound(async () => (await bellOf(root))?.lastError ?? undefined);
    peer.edit(root, { photo: "0.jpg" });
    await ring(peer, root);
    const all = await recordsOf(connection, 3, "waiting", "refused", "replaced");
    assert.deepEqual(
      all.map(({ status, details }) => [status, details.map(({ rule }) => rule)]),
      [
        ["waiting", []],
        ["replaced", []],
        ["replaced", []],
      ],
    );
  });

  it("keep their day no longer when a new mapping cannot read them", async () => {
    const peer = await openPeer([{ type: "text", name: "other", $xpath: "other", label: ["Other"] }]);
    const connection = await connect(peer, { form: "kpt", campaignId: campaign.campaignId });
    const did = campaign.groups.reference.sample[3] ?? "";
    const root = peer.add(visit(did, 0), [photo("0.jpg")]);
    await ring(peer, root);
    await recordOf(connection, "waiting");
    const mapping = { mapping: [{ field: "at", question: "other" }] };
    requireStatus(await registry.admin("PUT", `/kobo/connections/${connection.id}/mapping`, mapping), 200);
    await ring(peer, root);
    await recordOf(connection, "refused");
    const other = peer.add(visit(did, 0), [photo("0.jpg")]);
    requireStatus(await registry.admin("PUT", `/kobo/connections/${connection.id}/mapping`, { mapping: [] }), 200);
    await ring(peer, other);
    await recordOf(connection, "waiting");
  });

  it("keep exact amounts, and are refused with every one that is not an exact decimal", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "kpt", campaignId: campaign.campaignId });
    const [did = ""] = campaign.groups.intervention.sample;
    const weighed = (start: unknown, end: unknown, women: unknown) => ({
      ...visit(did, 0),
      fuels: [{ "fuels/fuel": "wood", "fuels/start": start, "fuels/added": "0", "fuels/end": end }],
      "people/women": women,
    });
    const texts = [
      "1,5",
      "1e3",
      "-1",
      "１０",
      "٣",
      "+1",
      "0x10",
      "1_0",
      "1.0000001",
      "9".repeat(400),
      "NaN",
      ".5",
      "5.",
    ];
    // Kobo writes texts. A number is read by its digits, too.
    const wrong = [...texts, 1e21, -1, 1.0000001];
    for (const amount of wrong) {
      assert.equal((await ring(peer, peer.add(weighed(amount, amount, amount), [photo("0.jpg")]))).status, 202);
    }
    for (const { details } of await recordsOf(connection, wrong.length, "refused")) {
      assert.deepEqual(details.map(({ path }) => path).sort(), ["fuels.0.end", "fuels.0.start", "people.women"]);
    }
    await ring(peer, peer.add(weighed("0010.500", 7.25, "2.0"), [photo("0.jpg")]));
    const { id } = await recordOf(connection, "waiting");
    const { answers } = requireStatus(await implementer("GET", `/odk/submissions/${id}`), 200).body as {
      answers: unknown;
    };
    assert.partialDeepStrictEqual(answers, { fuels: [{ start: "10.5", end: "7.25" }], people: { women: 2 } });
  });

  it("of a closed campaign are refused, and show why", async () => {
    const peer = await openPeer();
    const connection = await connect(peer, { form: "kpt", campaignId: ending.campaignId });
    requireStatus(
      await implementer("POST", `/campaigns/${ending.campaignId}/abandonment`, { reason: "no village" }),
      201,
    );
    await ring(peer, peer.add(visit(ending.groups.reference.sample[0] ?? "", 0), [photo("0.jpg")]));
    assert.deepEqual(
      (await recordOf(connection, "refused")).details.map(({ rule }) => rule),
      ["campaign-open"],
    );
  });
});

describe("records from before the connection", () => {
  it("are left alone by a check, and read once by an import that shows its progress", async () => {
    const peer = await openPeer();
    const old = new Date(Date.now() - 86_400_000);
    const dids = Array.from({ length: 5 }, newDid);
    for (const did of dids) peer.add(household(did), [], old);
    peer.add(household(dids[0] ?? "", { region: "twice" }), [], old);
    const connection = await connect(peer);
    const path = `/kobo/connections/${connection.id}`;
    const check = requireStatus(await registry.admin("POST", `${path}/check`), 200).body as ConnectionCheck;
    assert.deepEqual([check.records, check.changed], [6, 0]);
    for (const _ of [1, 2]) {
      const { url } = requireStatus(await registry.admin("POST", `${path}/import`), 202).body as { url: string };
      const operation = await untilFound(async () => {
        const { body } = await registry.admin("GET", url.slice("/v1".length));
        return (body as { status: string }).status === "succeeded" ? body : undefined;
      });
      assert.partialDeepStrictEqual(operation, { type: "kobo.import", progress: { done: 6, total: 6, failed: 0 } });
      assert.equal((await recordsOf(connection, 5, "accepted")).length, 5);
      assert.equal((await recordsOf(connection, 1, "refused")).length, 1);
    }
  });

  it("are refused when there are too many, which a check still reads", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    peer.add(household(newDid()));
    peer.state.count = 10_001;
    const answer = await registry.admin("POST", `/kobo/connections/${connection.id}/import`);
    assert.deepEqual([answer.status, rulesOf(answer)], [400, ["row-limit"]]);
    requireStatus(await registry.admin("POST", `/kobo/connections/${connection.id}/check`), 200);
  });
});

describe("a check", () => {
  it("makes a hook that is missing, and activates one that Kobo's people stopped", async () => {
    const peer = await openPeer([{ type: "text", name: "did" }]);
    const connection = await connect(peer);
    const check = async () =>
      requireStatus(await registry.admin("POST", `/kobo/connections/${connection.id}/check`), 200)
        .body as ConnectionCheck;
    assert.partialDeepStrictEqual(await check(), { hook: "active", project: "Households of Lusaka", missing: [] });
    const [hook] = peer.hooks;
    if (hook !== undefined) hook.active = false;
    assert.equal((await check()).hook, "activated");
    assert.equal(hook?.active, true);
    peer.hooks.splice(0);
    peer.state.survey = [];
    assert.partialDeepStrictEqual(await check(), { hook: "made", missing: ["did"] });
    assert.equal((await detailOf(connection.id)).hookUid, peer.hooks[0]?.uid);
    const root = peer.add(household(newDid()));
    assert.equal((await ring(peer, root)).status, 202);
    await recordOf(connection, "accepted");
  });

  it("finds a record whose bell was lost", async () => {
    const peer = await openPeer();
    const connection = await connect(peer);
    peer.add(household(newDid()), [], new Date(Date.now() + 2_000));
    const check = await registry.admin("POST", `/kobo/connections/${connection.id}/check`);
    assert.partialDeepStrictEqual(requireStatus(check, 200).body, { changed: 1 });
    await recordOf(connection, "accepted");
  });
});
