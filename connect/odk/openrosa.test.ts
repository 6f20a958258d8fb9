import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { inflateSync } from "node:zlib";
import { eq, sql } from "drizzle-orm";
import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { readClaimFile } from "../../api/scheme/kpt/evidence.ts";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  planId,
  registerFrames,
  registerPlans,
} from "../../test/support/campaigns.ts";
import { fillForm } from "../../test/support/odk-engine.ts";
import { type Phone, type RecordFile, usePhone } from "../../test/support/odk-phone.ts";
import {
  type Caller,
  openRegistryTest,
  type RegistryTest,
  requireStatus,
  rulesOf,
} from "../../test/support/registry.ts";
import { odkSubmissions } from "../records/tables.ts";
import type { CreatedCollector } from "./collectors/schemas.ts";
import type { CollectionProgress, SubmissionDetail } from "./submissions/schemas.ts";

let registry: RegistryTest;
let implementer: Caller;
let campaign: CampaignResponse;
let collector: CreatedCollector;
let phone: Phone;
let ending: CampaignResponse;
let surveyed: CampaignResponse;

before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  const body = await registerFrames(registry.admin, exampleCampaign({ emissions: { area: "ZMB", fuel: "wood" } }));
  campaign = await drawnCampaign(implementer, body);
  ending = await drawnCampaign(implementer);
  // Once a plan has a device, its campaigns need one in each household of the intervention frame.
  surveyed = await drawnCampaign(implementer, await frameWithDevices());
  collector = await makeCollector({
    forms: ["household", "device", "kpt"],
    campaignId: campaign.campaignId,
    planId,
  });
  phone = usePhone(registry.app, collector.url);
});
after(() => registry?.close());

async function makeCollector(changes: object): Promise<CreatedCollector> {
  const body = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, ...changes };
  return requireStatus(await registry.admin("POST", "/odk/collectors", body), 201).body as CreatedCollector;
}

async function listed(instanceId: string): Promise<SubmissionDetail> {
  const page = requireStatus(await implementer("GET", "/odk/submissions?limit=500"), 200).body as {
    items: SubmissionDetail[];
  };
  const found = page.items.find((each) => each.instanceId === instanceId);
  assert.ok(found, `${instanceId} is listed`);
  return found;
}

async function frameWithDevices() {
  const emissions = { method: "smec-4", fuel: "wood", area: "ZMB", householdSize: 4.5, life: 3, daf: 0.1, he: 0.9 };
  const body = await registerFrames(registry.admin, exampleCampaign({ emissions }));
  for (const [i, householdDid] of body.groups.intervention.frame.entries()) {
    const device = { serial: `FRAME-${i}`, model: "Jiko 2", planId, householdDid, installedOn: "2024-01-01" };
    requireStatus(await implementer("POST", "/devices", device), 201);
  }
  return body;
}

let next = 0;
/** DID of a household that nobody registered. */
const newDid = () => `did:ixo:household/odk-${++next}`;

async function householdRecord(changes: { did?: string; extra?: string; meta?: string; instanceId?: string } = {}) {
  const { did = newDid(), extra = "", meta = "", instanceId = `uuid:${randomUUID()}` } = changes;
  const { version } = await phone.form("household-registration");
  const xml = `<?xml version='1.0' ?><data id="household-registration" version="${version}" xmlns:orx="http://openrosa.org/xforms"><did>${did}</did><region>Lusaka</region><place>-15.4167 28.2833 1280.0 4.5</place><people><children>2</children><women>1.0</women><men/><elderly/></people>${extra}<orx:meta><orx:instanceID>${instanceId}</orx:instanceID>${meta}</orx:meta></data>`;
  return { did, instanceId, xml };
}

/** Send a record whose body stops after its head, and continues when something has happened meanwhile. */
async function sendSlowly(url: string, xml: string, meanwhile: () => Promise<unknown>): Promise<Response> {
  const part = (name: string, rest: string) => `--b\r\nContent-Disposition: form-data; name="${name}"${rest}`;
  const record = part("xml_submission_file", `; filename="a.xml"\r\nContent-Type: text/xml\r\n\r\n`);
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      controller.enqueue(Buffer.from(record));
      await meanwhile();
      const rest = `${xml}\r\n${part("*isIncomplete*", "\r\n\r\nyes\r\n")}--b--\r\n`;
      controller.enqueue(Buffer.from(rest));
      controller.close();
    },
  };
  // Nothing is pulled before the server reads, which is after the sign-in.
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return await registry.app.request(`${url}/submission`, init);
}

describe("a collector", () => {
  it("gets a link, and a QR code with the settings of ODK Collect", () => {
    assert.match(collector.url, /^http:\/\/\S+\/odk\/key\/ho_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(JSON.parse(inflateSync(Buffer.from(collector.settings, "base64")).toString()), {
      general: { server_url: collector.url, form_update_mode: "match_exactly", autosend: "wifi_and_cellular" },
      admin: {},
      project: { name: "Maria", icon: "🔥" },
    });
    assert.match(collector.qrCode, /^<svg /);
  });

  it("is made by admins only, and with what its forms need", async () => {
    const body = { name: "X", collectorDid: "did:key:z6MkX", implementerDid, forms: ["kpt", "device", "delivery"] };
    assert.equal((await implementer("POST", "/odk/collectors", body)).status, 403);
    const answer = await registry.admin("POST", "/odk/collectors", body);
    assert.deepEqual([answer.status, rulesOf(answer)], [400, Array(3).fill("required-for-form")]);
    const unknown = await registry.admin("POST", "/odk/collectors", { ...body, forms: ["kpt"], campaignId: "NONE" });
    assert.deepEqual([unknown.status, rulesOf(unknown)], [404, ["campaign-known"]]);
  });

  it("may do by its API key only what its forms need", async () => {
    const keys = requireStatus(await registry.admin("GET", `/keys/${collector.keyId}`), 200).body;
    assert.partialDeepStrictEqual(keys, { role: "integrator", dids: [implementerDid] });
    assert.deepEqual((keys as { scopes: string[] }).scopes.sort(), [
      "campaigns:read",
      "devices:write",
      "households:read",
      "households:write",
      "kpt:write",
    ]);
  });

  it("keeps its token out of metrics", async () => {
    await phone.get("/formList");
    await phone.get("/none");
    const metrics = await (await registry.app.request("/metrics")).text();
    assert.match(metrics, /\/odk/);
    assert.ok(!metrics.includes(new URL(collector.url).pathname.slice("/odk/key/".length)));
  });

  it("sends nothing that arrives while it is revoked", async () => {
    const made = await makeCollector({ forms: ["household"] });
    const revoke = async () => requireStatus(await registry.admin("DELETE", `/odk/collectors/${made.id}`), 200);
    const { xml, instanceId } = await householdRecord();
    const stored = async () => registry.deps.db.$count(odkSubmissions, eq(odkSubmissions.instanceId, instanceId));
    const late = await sendSlowly(made.url, xml, revoke);
    assert.deepEqual([late.status, await stored()], [403, 0], await late.text());
    // What had arrived before stays.
    const other = await makeCollector({ forms: ["household"] });
    assert.equal((await sendSlowly(other.url, xml, async () => {})).status, 201);
    assert.equal(await stored(), 1);
  });

  it("is revoked together with its API key, or not at all", async () => {
    const { db } = registry.deps;
    const made = await makeCollector({ forms: ["household"] });
    await db.execute(sql`create function refuse_end() returns trigger language plpgsql as
      $$ begin raise exception 'no'; end $$`);
    await db.execute(sql`create trigger refuse_end before update of revoked_at on api_keys for each row
      execute function refuse_end()`);
    try {
      assert.equal((await registry.admin("DELETE", `/odk/collectors/${made.id}`)).status, 500);
    } finally {
      await db.execute(sql`drop trigger refuse_end on api_keys`);
    }
    assert.equal((await usePhone(registry.app, made.url).get("/formList")).status, 200);
    requireStatus(await registry.admin("DELETE", `/odk/collectors/${made.id}`), 200);
    const key = requireStatus(await registry.admin("GET", `/keys/${made.keyId}`), 200).body;
    assert.notEqual((key as { revokedAt: string | null }).revokedAt, null);
  });

  it("loses its link when it is revoked, and when its API key is", async () => {
    for (const path of ["/odk/collectors", "/keys"]) {
      const made = await makeCollector({ forms: ["household"] });
      const other = usePhone(registry.app, made.url);
      assert.equal((await other.get("/formList")).status, 200);
      const id = path === "/keys" ? made.keyId : made.id;
      requireStatus(await registry.admin("DELETE", `${path}/${id}`), 200);
      const answer = await other.send((await householdRecord()).xml);
      assert.equal(answer.status, 403, await answer.text());
    }
  });
});

describe("the form list", () => {
  it("names each form with hash and absolute URLs, and its files where there are some", async () => {
    const answer = await phone.get("/formList?deviceID=collect%3A1&verbose=true");
    assert.equal(answer.status, 200);
    for (const [name, value] of [
      ["x-openrosa-version", "1.0"],
      ["content-type", "text/xml; charset=utf-8"],
      ["x-openrosa-accept-content-length", String(32 * 1024 * 1024)],
      ["content-language", "en"],
    ] as const)
      assert.equal(answer.headers.get(name), value);
    assert.ok(Date.parse(answer.headers.get("date") ?? "") > 0);
    const xml = await answer.text();
    assert.match(
      xml,
      /^<\?xml version="1\.0" encoding="UTF-8"\?><xforms xmlns="http:\/\/openrosa\.org\/xforms\/xformsList">/,
    );
    const forms = await phone.forms();
    assert.deepEqual(
      forms.map(({ formId }) => formId),
      ["household-registration", `device-installation.${planId}`, `kpt-visit.${campaign.campaignId}`],
    );
    assert.deepEqual(
      forms.map(({ manifestUrl }) => manifestUrl !== undefined),
      [false, true, true],
    );
    for (const { hash, downloadUrl } of forms) {
      const form = await phone.fetch(downloadUrl);
      assert.match(form.headers.get("content-type") ?? "", /text\/xml/);
      const bytes = Buffer.from(await form.arrayBuffer());
      assert.equal(hash, `md5:${createHash("md5").update(bytes).digest("hex")}`);
    }
    assert.equal((await phone.get("/formList", { method: "HEAD" })).status, 200);
    const one = await (await phone.get("/formList?formID=household-registration")).text();
    assert.equal(one.match(/<xform>/g)?.length, 1);
  });

  it("gives a form as a workbook, which KoboToolbox reads", async () => {
    const answer = await phone.get("/forms/household-registration/xlsform");
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="household-registration.xlsx"');
    assert.equal(Buffer.from(await answer.arrayBuffer()).toString("latin1", 0, 2), "PK");
    assert.equal((await phone.get("/forms/unknown/xlsform")).status, 404);
  });

  it("offers the drawn sample as an entity list, and says which entries ended", async () => {
    const form = await phone.form(`kpt-visit.${campaign.campaignId}`);
    const manifest = await (await phone.fetch(form.manifestUrl ?? "")).text();
    const file =
      /<mediaFile type="entityList"><filename>households\.csv<\/filename><hash>(md5:[0-9a-f]{32})<\/hash><downloadUrl>(.*?)<\/downloadUrl><integrityUrl>(.*?)<\/integrityUrl>/.exec(
        manifest,
      );
    assert.ok(file, manifest);
    const csv = Buffer.from(await (await phone.fetch(file[2] ?? "")).arrayBuffer());
    assert.equal(file[1], `md5:${createHash("md5").update(csv).digest("hex")}`);
    const [header, ...rows] = csv.toString().trim().split("\n");
    assert.equal(header, "name,label,__version");
    const { reference, intervention } = campaign.groups;
    assert.deepEqual(
      rows.map((row) => row.split(",")[0]),
      [...reference.sample, ...intervention.sample],
    );
    const here = encodeURIComponent(reference.sample[0] ?? "");
    const integrity = await (await phone.fetch(`${file[3]}?id=${here},did:ixo:gone`)).text();
    assert.match(integrity, /<entity id="did:ixo:household\/.*?"><deleted>false<\/deleted>/);
    assert.match(integrity, /<entity id="did:ixo:gone"><deleted>true<\/deleted>/);
  });

  it("answers a wrong token with 403 and a sentence, never 401", async () => {
    const wrong = collector.url.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    for (const url of [wrong, `${registry.deps.config.publicUrl}/odk/key/x`]) {
      const answer = await usePhone(registry.app, url).get("/formList");
      assert.equal(answer.status, 403);
      assert.match(await answer.text(), /<message nature="error">This link is not valid/);
      assert.equal(answer.headers.get("x-openrosa-version"), "1.0");
    }
    const nowhere = await phone.get("/elsewhere");
    assert.equal(nowhere.status, 404);
    assert.match(nowhere.headers.get("content-type") ?? "", /text\/xml/);
  });
});

describe("a record", () => {
  it("registers a household, and is accepted again without being registered twice", async () => {
    assert.equal((await phone.get("/submission", { method: "HEAD" })).status, 204);
    const { did, instanceId, xml } = await householdRecord();
    const sent = await phone.send(xml);
    assert.equal(sent.status, 201);
    const text = await sent.text();
    assert.match(
      text,
      /<OpenRosaResponse xmlns="http:\/\/openrosa\.org\/http\/response" items="0"><message nature="">Received and accepted/,
    );
    const household = requireStatus(await registry.admin("GET", `/households/${encodeURIComponent(did)}`), 200).body;
    assert.partialDeepStrictEqual(household, {
      region: "Lusaka",
      householdSize: { children: 2, women: 1, men: 0, elderly: 0 },
      location: { latitude: -15.4167, longitude: 28.2833 },
    });
    const again = await phone.send(xml);
    assert.deepEqual([again.status, await again.text()], [201, text]);
    assert.partialDeepStrictEqual(await listed(instanceId), {
      status: "accepted",
      resultId: did,
      collector: { id: collector.id, name: "Maria" },
    });
    const other = await phone.send(xml.replace("Lusaka", "Kitwe"));
    assert.equal(other.status, 409);
  });

  it("is refused by the rules of Hearth with every reason, and can be corrected", async () => {
    const first = await householdRecord();
    assert.equal((await phone.send(first.xml)).status, 201);
    const twice = await householdRecord({ did: first.did });
    const answer = await phone.send(twice.xml);
    assert.equal(answer.status, 201);
    assert.match(await answer.text(), /Received, but not accepted/);
    const seen = await listed(twice.instanceId);
    assert.equal(seen.status, "refused");
    assert.ok(seen.details.length > 0 && seen.details.every(({ message }) => message !== ""));
    const detail = requireStatus(await implementer("GET", `/odk/submissions/${seen.id}`), 200).body;
    assert.partialDeepStrictEqual(detail, { answers: { did: first.did, region: "Lusaka" } });
    const edit = await householdRecord({ meta: `<deprecatedID>${twice.instanceId}</deprecatedID>` });
    assert.match(await (await phone.send(edit.xml)).text(), /Received and accepted/);
    assert.equal((await listed(twice.instanceId)).status, "replaced");
    const late = await householdRecord({ meta: `<deprecatedID>${twice.instanceId}</deprecatedID>` });
    assert.equal((await phone.send(late.xml)).status, 409);
    const unknown = await householdRecord({ meta: "<deprecatedID>uuid:none</deprecatedID>" });
    assert.equal((await phone.send(unknown.xml)).status, 404);
    const changed = await householdRecord({ meta: `<deprecatedID>${first.instanceId}</deprecatedID>` });
    assert.match(await (await phone.send(changed.xml)).text(), /accepted already/);
  });

  it("can be deleted by its team while nothing was made of it", async () => {
    const { did, xml } = await householdRecord();
    await phone.send(xml);
    const twice = await householdRecord({ did });
    await phone.send(twice.xml);
    const { id } = await listed(twice.instanceId);
    const stranger = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    assert.equal((await stranger("POST", `/odk/submissions/${id}/delete`, { reason: "x" })).status, 404);
    requireStatus(await implementer("POST", `/odk/submissions/${id}/delete`, { reason: "test record" }), 200);
    assert.equal((await phone.send(twice.xml)).status, 409);
  });

  it("checks ranges and required answers again", async () => {
    const { instanceId, xml } = await householdRecord();
    const answer = await phone.send(xml.replace("<children>2</children>", "<children>2.5</children>"));
    assert.equal(answer.status, 201);
    assert.deepEqual(
      (await listed(instanceId)).details.map(({ path, rule }) => [path, rule]),
      [["people.children", "range"]],
    );
  });

  it("is written later when the server stopped after storing it", async () => {
    const { did, instanceId, xml } = await householdRecord();
    await phone.send(xml, [], { isIncomplete: true });
    // As a process leaves it that is killed between storing and writing.
    await registry.deps.db
      .update(odkSubmissions)
      .set({ status: "received" })
      .where(eq(odkSubmissions.instanceId, instanceId));
    await phone.forms();
    assert.partialDeepStrictEqual(await listed(instanceId), { status: "accepted", resultId: did });
  });

  it("of a form that another collector has is refused", async () => {
    const { version, formId } = await phone.form(`kpt-visit.${campaign.campaignId}`);
    const xml = `<data id="${formId}" version="${version}"><meta><instanceID>uuid:foreign</instanceID></meta></data>`;
    for (const campaignId of [undefined, surveyed.campaignId]) {
      const made = await makeCollector(
        campaignId === undefined ? { forms: ["household"] } : { forms: ["kpt"], campaignId },
      );
      assert.equal((await usePhone(registry.app, made.url).send(xml)).status, 403);
    }
  });

  it("registers a device", async () => {
    const { version } = await phone.form(`device-installation.${planId}`);
    const household = campaign.groups.intervention.sample[0];
    const xml = `<data id="device-installation.${planId}" version="${version}"><household>${household}</household><serial>STOVE-1</serial><model>Jiko 2</model><installed_on>2024-01-01</installed_on><meta><instanceID>uuid:device-1</instanceID></meta></data>`;
    assert.match(await (await phone.send(xml)).text(), /accepted: STOVE-1/);
    assert.partialDeepStrictEqual(requireStatus(await implementer("GET", "/devices/STOVE-1"), 200).body, {
      model: "Jiko 2",
    });
  });
});

describe("the files of a record", () => {
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a photo")]);
  const photo = (name: string): RecordFile => ({ name, type: "image/jpeg", bytes: jpeg });

  it("come in several requests, and those that the record does not name are ignored", async () => {
    const extra = "<photo>Küche 1.jpg</photo><consent>sign.png</consent>";
    const { instanceId, xml } = await householdRecord({ extra });
    const first = await phone.send(xml, [photo("Küche 1.jpg"), photo("other.jpg")], { isIncomplete: true });
    assert.equal(first.status, 201);
    assert.equal((await listed(instanceId)).status, "incomplete");
    const last = await phone.send(xml, [photo("sign.png")]);
    assert.match(await last.text(), /Received and accepted/);
    const { id } = await listed(instanceId);
    const detail = requireStatus(await implementer("GET", `/odk/submissions/${id}`), 200).body as SubmissionDetail;
    assert.deepEqual(
      detail.files.map(({ name, size, sha256 }) => [name, size, sha256]),
      ["Küche 1.jpg", "sign.png"].map((name) => [name, jpeg.length, createHash("sha256").update(jpeg).digest("hex")]),
    );
  });

  it("of an accepted record come again as they were, and are replaced by no others", async () => {
    const { instanceId, xml } = await householdRecord({ extra: "<photo>a.jpg</photo>" });
    assert.match(await (await phone.send(xml, [photo("a.jpg")])).text(), /accepted/);
    const { files } = requireStatus(await implementer("GET", `/odk/submissions/${(await listed(instanceId)).id}`), 200)
      .body as SubmissionDetail;
    const forged = await phone.send(xml, [{ ...photo("a.jpg"), bytes: Buffer.concat([jpeg, Buffer.from("!")]) }]);
    assert.equal(forged.status, 409, await forged.text());
    assert.equal((await phone.send(xml, [photo("a.jpg")])).status, 201);
    const after = requireStatus(await implementer("GET", `/odk/submissions/${(await listed(instanceId)).id}`), 200);
    assert.deepEqual((after.body as SubmissionDetail).files, files);
  });

  it("may arrive before their record, which may be a text field", async () => {
    const bodyOf = (record: { xml: string; filename: string }, parts: string[]) => {
      const head = `--x\r\nContent-Disposition: form-data; name="xml_submission_file"${record.filename}`;
      return Buffer.concat([
        ...parts.map((each) => Buffer.from(each, "latin1")),
        Buffer.from(`${head}\r\n\r\n${record.xml}\r\n--x--\r\n`),
      ]);
    };
    const file = (bytes: Buffer) =>
      `--x\r\nContent-Disposition: form-data; name="a.jpg"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n${bytes.toString("latin1")}\r\n`;
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    const send = (body: Buffer) => phone.get("/submission", { method: "POST", headers, body: new Uint8Array(body) });
    for (const filename of ["", '; filename="record.xml"']) {
      const { instanceId, xml } = await householdRecord({ extra: "<photo>a.jpg</photo>" });
      const answer = await send(bodyOf({ xml, filename }, [file(jpeg)]));
      assert.match(await answer.text(), /accepted/);
      assert.equal((await listed(instanceId)).status, "accepted");
    }
    const { xml } = await householdRecord({ extra: "<photo>a.jpg</photo>" });
    const half = file(Buffer.alloc(9 * 1024 * 1024, 0xff));
    const many = await send(bodyOf({ xml, filename: '; filename="record.xml"' }, [half, half]));
    assert.equal(many.status, 400);
    assert.match(await many.text(), /must come before/);
    const long = await send(bodyOf({ xml: `<data>${"x".repeat(5 * 1024 * 1024)}</data>`, filename: "" }, []));
    assert.equal(long.status, 413);
  });

  it("come with one record: a second one in the request is refused", async () => {
    const [one, two] = [await householdRecord(), await householdRecord()];
    const other = { name: "xml_submission_file", type: "text/xml", bytes: Buffer.from(two.xml) };
    const answer = await phone.send(one.xml, [other]);
    assert.equal(answer.status, 400, await answer.text());
  });

  it("must be photos where a photo is asked", async () => {
    const { instanceId, xml } = await householdRecord({ extra: "<photo>a.jpg</photo>" });
    const answer = await phone.send(xml, [{ ...photo("a.jpg"), bytes: Buffer.from("<html>") }]);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /nature="error">a\.jpg is not a photo/);
    assert.equal((await listed(instanceId)).status, "incomplete");
    assert.match(await (await phone.send(xml, [photo("a.jpg")])).text(), /accepted/);
  });
});

describe("the team's view of records", () => {
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from("a kitchen")]);
  const photo: RecordFile = { name: "Küche 1.jpg", type: "text/html", bytes: jpeg };
  const path = (id: string, name = photo.name) => `/odk/submissions/${id}/files/${encodeURIComponent(name)}`;
  const readFile = async (id: string, name?: string) => {
    const key = requireStatus(
      await registry.admin("POST", "/keys", { role: "implementer", name: "Reader", implementerDid }),
      201,
    ).body as { key: string };
    return await registry.app.request(`/v1${path(id, name)}`, { headers: { authorization: `Bearer ${key.key}` } });
  };

  it("shows a record's photo, also when a correction did not send it again, and to its own team only", async () => {
    const { did: taken, xml: first } = await householdRecord();
    await phone.send(first);
    const refused = await householdRecord({ did: taken, extra: `<photo>${photo.name}</photo>` });
    await phone.send(refused.xml, [photo]);
    const meta = `<deprecatedID>${refused.instanceId}</deprecatedID>`;
    const edit = await householdRecord({ extra: `<photo>${photo.name}</photo>`, meta });
    assert.match(await (await phone.send(edit.xml)).text(), /Received and accepted/);
    for (const { instanceId } of [refused, edit]) {
      const answer = await readFile((await listed(instanceId)).id);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-type"), "image/jpeg");
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), jpeg);
    }
    const { id } = await listed(edit.instanceId);
    assert.equal((await readFile(id, "other.jpg")).status, 404);
    const stranger = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    assert.equal((await stranger("GET", path(id))).status, 404);
    const supplier = await registry.as("integrator", { scopes: ["households:read"] });
    assert.equal((await supplier("GET", path(id))).status, 403);
  });

  it("gives a file that is not a photo as bytes that a browser does not show", async () => {
    const meta = "<audit>audit.csv</audit>";
    const { instanceId, xml } = await householdRecord({ meta });
    const log = { name: "audit.csv", type: "text/html", bytes: Buffer.from("<script>alert(1)</script>") };
    await phone.send(xml, [log]);
    const answer = await readFile((await listed(instanceId)).id, log.name);
    assert.equal(answer.headers.get("content-type"), "application/octet-stream");
    assert.equal(answer.headers.get("content-disposition"), "attachment");
    assert.equal(await answer.text(), log.bytes.toString());
  });

  it("counts records by person and village, of households that were registered elsewhere, too", async () => {
    const made = await makeCollector({ name: "Counted", forms: ["household", "device"], planId });
    const counted = usePhone(registry.app, made.url);
    const households = await Promise.all(["Mwanza", "Mwanza", undefined].map(() => householdRecord()));
    for (const [i, { xml }] of households.entries()) {
      await counted.send(i === 2 ? xml.replace("<region>Lusaka</region>", "") : xml.replace("Lusaka", "Mwanza"));
    }
    const twice = await householdRecord({ did: households[0]?.did ?? "" });
    await counted.send(twice.xml.replace("Lusaka", "Mwanza"));
    const elsewhere = { did: newDid(), region: "Kitwe" };
    requireStatus(await implementer("POST", "/households", elsewhere), 201);
    const { version } = await counted.form(`device-installation.${planId}`);
    await counted.send(
      `<data id="device-installation.${planId}" version="${version}"><household>${elsewhere.did}</household><serial>STOVE-KITWE</serial><model>Jiko 2</model><installed_on>2024-01-01</installed_on><meta><instanceID>uuid:kitwe</instanceID></meta></data>`,
    );
    const none = { incomplete: 0, received: 0, waiting: 0, accepted: 0, refused: 0 };
    const pages: CollectionProgress[] = [];
    for (let cursor = ""; ; ) {
      const { body } = requireStatus(await implementer("GET", `/odk/progress?limit=2${cursor}`), 200);
      const { items, nextCursor } = body as { items: CollectionProgress[]; nextCursor: string | null };
      pages.push(...items);
      if (nextCursor === null) break;
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
    const own = pages.filter(({ collector: { id } }) => id === made.id);
    assert.deepEqual(
      own.map(({ lastReceivedAt: _, ...row }) => row),
      [
        { collector: { id: made.id, name: "Counted" }, region: null, ...none, accepted: 1 },
        { collector: { id: made.id, name: "Counted" }, region: "Kitwe", ...none, accepted: 1 },
        { collector: { id: made.id, name: "Counted" }, region: "Mwanza", ...none, accepted: 2, refused: 1 },
      ],
    );
    const filter = `/odk/submissions?collectorId=${made.id}&region=Mwanza`;
    const { items } = requireStatus(await implementer("GET", filter), 200).body as { items: { region: string }[] };
    assert.deepEqual(
      items.map(({ region }) => region),
      ["Mwanza", "Mwanza", "Mwanza"],
    );
    const named = async (path: string, person: string, by = implementer) => {
      const answer = await by("GET", `${path}?limit=100&person=${encodeURIComponent(person)}`);
      const { items: found } = requireStatus(answer, 200).body as { items: { collector: { id: string } }[] };
      return found.map(({ collector: { id } }) => id);
    };
    assert.deepEqual(await named("/odk/progress", "COUNT"), [made.id, made.id, made.id]);
    assert.deepEqual(new Set(await named("/odk/submissions", "ounted")), new Set([made.id]));
    for (const path of ["/odk/progress", "/odk/submissions"]) {
      // The text is not a pattern.
      assert.deepEqual(await named(path, "Count%"), []);
    }
    const stranger = await registry.as("implementer", { implementerDid: "did:ixo:implementer/2" });
    assert.deepEqual((requireStatus(await stranger("GET", "/odk/progress"), 200).body as { items: [] }).items, []);
    assert.deepEqual(await named("/odk/submissions", "Counted", stranger), []);
    // More people of that name than a statement has parameters.
    await registry.deps.db.execute(sql`
      with many as (
        select jsonb_populate_record(c, jsonb_build_object('id', 'many-' || n, 'name', 'Many ' || n)) as row
        from odk_collectors c, generate_series(1, 70000) n where c.id = ${made.id})
      insert into odk_collectors select (row).* from many`);
    await registry.deps.db.execute(sql`
      update odk_submissions set collector_id = 'many-70000', collector_name = null where collector_id = ${made.id} and region = 'Kitwe'`);
    assert.deepEqual(await named("/odk/submissions", "Many"), ["many-70000"]);
    await registry.deps.db.execute(sql`delete from odk_collectors where id like 'many-%'`);
  });
});

describe("a request that is not a record", () => {
  const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY l${i + 1} "&l${i};&l${i};&l${i};">`).join("");
  const cases: [string, string, number, RegExp][] = [
    ["malformed XML", "<data id='household-registration'><did></data>", 400, /not well-formed/],
    ["an external entity", '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>', 400, /no document type/],
    ["a billion laughs", `<!DOCTYPE d [<!ENTITY l0 "ha">${entities}]><d>&l20;</d>`, 400, /no document type/],
    ["deep nesting", `${"<a>".repeat(50)}${"</a>".repeat(50)}`, 400, /nested more than/],
    ["many elements", `<a>${"<b/>".repeat(30_000)}</a>`, 400, /more than 20000 elements/],
    ["no form", "<data><meta><instanceID>uuid:1</instanceID></meta></data>", 400, /of which form/],
    ["no instanceID", '<data id="household-registration" version="1"/>', 400, /no instanceID/],
    [
      "an unknown form",
      '<data id="x" version="1"><meta><instanceID>uuid:1</instanceID></meta></data>',
      404,
      /not known/,
    ],
  ];
  for (const [name, xml, status, message] of cases) {
    it(`gets ${status}: ${name}`, async () => {
      const answer = await phone.send(xml);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get("content-type"), "text/xml; charset=utf-8");
      assert.match(await answer.text(), message);
    });
  }

  it("gets 404 for a version that was never offered, and an offered one stays accepted", async () => {
    const { xml } = await householdRecord();
    const answer = await phone.send(xml.replace(/version="\w+"/, 'version="000000000000"'));
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /Update the forms/);
  });

  it("gets 413 before and while it arrives", async () => {
    const { xml } = await householdRecord({ extra: "<photo>a.jpg</photo>" });
    const declared = await phone.get("/submission", {
      method: "POST",
      headers: { "content-length": String(100 * 1024 * 1024), "content-type": "multipart/form-data; boundary=x" },
      body: "x",
    });
    assert.equal(declared.status, 413);
    const large = { name: "a.jpg", type: "image/jpeg", bytes: Buffer.alloc(17 * 1024 * 1024, 0xff) };
    const answer = await phone.send(xml, [large]);
    assert.equal(answer.status, 413);
    assert.match(await answer.text(), /nature="error">The file a\.jpg is larger/);
  });

  it("gets 400 when it is not multipart, is cut, or has no record", async () => {
    for (const [type, body, message] of [
      ["application/json", "{}", /multipart\/form-data/],
      ["multipart/form-data", "x", /boundary/],
      [
        "multipart/form-data; boundary=x",
        '--x\r\nContent-Disposition: form-data; name="xml_submission_file"; filename="a"\r\n\r\n<a',
        /did not arrive whole/,
      ],
      [
        "multipart/form-data; boundary=x",
        '--x\r\nContent-Disposition: form-data; name="a.jpg"; filename="a.jpg"\r\n\r\nx\r\n--x--\r\n',
        /is missing/,
      ],
      ["multipart/form-data; boundary=x", "--x--\r\n", /is missing/],
    ] as const) {
      const answer = await phone.get("/submission", { method: "POST", headers: { "content-type": type }, body });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), message);
    }
  });
});

describe("KPT visits", () => {
  const visit = async (household: string, day: number, changes: { end?: string; meta?: string; id?: string } = {}) => {
    const { version } = await phone.form(`kpt-visit.${campaign.campaignId}`);
    const { end = "7", meta = "", id = randomUUID() } = changes;
    return {
      instanceId: `uuid:${id}`,
      xml: `<data id="kpt-visit.${campaign.campaignId}" version="${version}"><household>${household}</household><day>${day}</day><at>2024-02-0${day + 1}T17:30:00.000+02:00</at><place>-15.4167 28.2833 1200.0 8.5</place><fuels><fuel>wood</fuel><start>10.0</start><added>0</added><end>${end}</end><scale/></fuels><people><children>2</children><women>1</women><men/><elderly/><guests/></people><stoves><kind>three stones</kind><serial/><used>yes</used></stoves><meta><instanceID>uuid:${id}</instanceID>${meta}</meta></data>`,
    };
  };

  it("become a claim when all days are there, in whichever order they come", async () => {
    const household = campaign.groups.reference.sample[0] ?? "";
    const visits = await Promise.all([2, 0, 3, 1].map((day) => visit(household, day)));
    for (const { xml, instanceId } of visits.slice(0, 3)) {
      assert.match(await (await phone.send(xml)).text(), /filed when all days/);
      assert.equal((await listed(instanceId)).status, "waiting");
    }
    const last = await (await phone.send(visits[3]?.xml ?? "")).text();
    const [claimId] = /KPT-[0-9A-Z]{20,}/.exec(last) ?? [];
    assert.ok(claimId, last);
    for (const { instanceId } of visits) {
      assert.partialDeepStrictEqual(await listed(instanceId), { status: "accepted", resultId: claimId });
    }
    const claim = requireStatus(await implementer("GET", `/claims/${claimId}`), 200).body;
    assert.partialDeepStrictEqual(claim, {
      householdId: household,
      testGroup: "reference",
      fuels: [{ fuel: "wood", total: 12, unit: "kg" }],
    });
    const form = await phone.form(`kpt-visit.${campaign.campaignId}`);
    assert.doesNotMatch(await phone.listOf(form), new RegExp(`^${household},`, "m"));
    assert.equal((await phone.send(visits[0]?.xml ?? "")).status, 201);
  });

  it("are refused with their day, and corrected by an edit", async () => {
    const household = campaign.groups.reference.sample[1] ?? "";
    const wrong = await visit(household, 0, { end: "10.001" });
    assert.match(await (await phone.send(wrong.xml)).text(), /more wood at the end/);
    assert.deepEqual(
      (await listed(wrong.instanceId)).details.map(({ rule }) => rule),
      ["weighing-balance"],
    );
    const edit = await visit(household, 0, { meta: `<deprecatedID>${wrong.instanceId}</deprecatedID>` });
    assert.match(await (await phone.send(edit.xml)).text(), /filed when all days/);
    const empty = (await visit(household, 1)).xml.replace(
      /<fuels>.*<\/fuels>/,
      "<fuels><fuel/><start/><added/><end/></fuels>",
    );
    assert.match(await (await phone.send(empty)).text(), /filed when all days/);
    const twice = await visit(household, 0);
    assert.match(await (await phone.send(twice.xml)).text(), /Day 0 of this household is here already/);
  });

  it("are filed once when the last days come at the same time", async () => {
    const household = campaign.groups.reference.sample[2] ?? "";
    const visits = await Promise.all([0, 1, 2, 3].map((day) => visit(household, day)));
    const answers = await Promise.all(visits.map(({ xml }) => phone.send(xml)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    const results = await Promise.all(visits.map(async ({ instanceId }) => (await listed(instanceId)).resultId));
    assert.equal(new Set(results).size, 1);
    assert.match(results[0] ?? "", /^KPT-/);
  });

  it("show on each visit why the claim was refused", async () => {
    const household = campaign.groups.reference.sample[3] ?? "";
    const visits = await Promise.all([0, 1, 2, 3].map((day) => visit(household, day, { end: "10" })));
    for (const { xml } of visits) await phone.send(xml);
    for (const { instanceId } of visits) {
      const { status, details } = await listed(instanceId);
      assert.deepEqual([status, details.some(({ rule }) => rule === "positive-values")], ["refused", true]);
    }
  });

  it("of a campaign that takes none get 409, and its form is not offered", async () => {
    const made = await makeCollector({ forms: ["kpt"], campaignId: ending.campaignId });
    const another = usePhone(registry.app, made.url);
    const { formId, version } = await another.form(`kpt-visit.${ending.campaignId}`);
    const gone = { reason: "refused by the village" };
    requireStatus(await implementer("POST", `/campaigns/${ending.campaignId}/abandonment`, gone), 201);
    assert.deepEqual(await another.forms(), []);
    const answer = await another.send(
      `<data id="${formId}" version="${version}"><meta><instanceID>uuid:late</instanceID></meta></data>`,
    );
    assert.equal(answer.status, 409);
    assert.match(await answer.text(), /is closed/);
  });
});

describe("a usage survey", () => {
  const jpeg = new File([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 9])], "stove.jpg", { type: "image/jpeg" });

  it("offers the drawn devices, records a visit with its photo, and no longer offers the device", async () => {
    const made = await makeCollector({ forms: ["usage"], campaignId: surveyed.campaignId });
    const surveyor = usePhone(registry.app, made.url);
    const form = await surveyor.form(`usage-survey.${surveyed.campaignId}`);
    const [first = ""] = (await surveyor.listOf(form)).split("\n").slice(1);
    const [device = ""] = first.split(",");
    const answers = { device, seen: "yes", in_use: "yes", visited_on: "2024-02-03", note: "clean", photo: jpeg };
    const { xml, files } = await fillForm(surveyor, form, answers);
    assert.match(await (await surveyor.send(xml, files)).text(), /Received and accepted/, xml);
    const path = `/campaigns/${surveyed.campaignId}/usage-survey/positions?limit=500`;
    const { items } = requireStatus(await implementer("GET", path), 200).body as { items: { position: number }[] };
    assert.partialDeepStrictEqual(
      items.find(({ position }) => String(position) === device),
      { status: "surveyed", record: { inUse: true, surveyorDid: "did:key:z6MkMaria", note: "clean" } },
    );
    assert.doesNotMatch(await surveyor.listOf(form), new RegExp(`^${device},`, "m"));
  });

  it("ends a device that could not be visited as missing, with a photo where the reason is another one", async () => {
    const made = await makeCollector({ forms: ["usage"], campaignId: surveyed.campaignId });
    const surveyor = usePhone(registry.app, made.url);
    const form = await surveyor.form(`usage-survey.${surveyed.campaignId}`);
    const [, ...rest] = (await surveyor.listOf(form)).trim().split("\n");
    const [first, second] = rest.map((row) => row.split(",")[0]) as [string, string];
    const moved = await fillForm(surveyor, form, { device: first, seen: "missing", reason: "moved", note: "in Kafue" });
    assert.match(await (await surveyor.send(moved.xml)).text(), /Received and accepted/, moved.xml);
    const answers = { device: second, seen: "missing", reason: "other" };
    const bare = await fillForm(surveyor, form, answers);
    assert.match(await (await surveyor.send(bare.xml)).text(), /Photo of what shows the reason.*has no answer/);
    const { xml, files } = await fillForm(surveyor, form, { ...answers, proof: jpeg });
    assert.match(await (await surveyor.send(xml, files)).text(), /Received and accepted/, xml);
    const path = `/campaigns/${surveyed.campaignId}/usage-survey/positions?limit=500`;
    const { items } = requireStatus(await implementer("GET", path), 200).body as {
      items: { position: number; status: string; record: { reason: string; note: string; evidence: unknown[] } }[];
    };
    const ended = [first, second].map((device) => items.find(({ position }) => String(position) === device));
    assert.deepEqual(
      ended.map((each) => [each?.status, each?.record.reason, each?.record.note, each?.record.evidence.length]),
      [
        ["missing", "moved", "in Kafue", 0],
        ["missing", "other", null, 1],
      ],
    );
    await assert.rejects(fillForm(surveyor, form, { device: second, seen: "missing" }), /reason required/);
  });
});

describe("ODK's own engine", () => {
  const jpeg = new File([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])], "kitchen.jpg", { type: "image/jpeg" });

  it("fills the registration of a household", async () => {
    const form = await phone.form("household-registration");
    const did = newDid();
    const answers = { did, region: "Lusaka", people: { children: 2, women: 1 }, photo: jpeg };
    const { xml, files } = await fillForm(phone, form, answers);
    assert.equal(files.length, 1, xml);
    assert.match(await (await phone.send(xml, files)).text(), /Received and accepted/);
    const household = requireStatus(await registry.admin("GET", `/households/${encodeURIComponent(did)}`), 200).body;
    assert.partialDeepStrictEqual(household, { householdSize: { children: 2, women: 1 } });
    await assert.rejects(fillForm(phone, form, { did: "no DID" }), /refuses: .*did constraint/);
    await assert.rejects(fillForm(phone, form, { region: "Lusaka" }), /refuses: .*did required/);
  });

  it("fills the installation of a device, with a household of the list", async () => {
    const form = await phone.form(`device-installation.${planId}`);
    const { did: household, xml: registration } = await householdRecord();
    await phone.send(registration);
    const { xml } = await fillForm(phone, form, {
      household,
      serial: "STOVE-ENGINE",
      model: "Jiko 2",
      installed_on: "2024-01-02",
    });
    assert.match(await (await phone.send(xml)).text(), /accepted: STOVE-ENGINE/, xml);
    await assert.rejects(fillForm(phone, form, { household: "did:ixo:none" }));
  });

  it("fills a KPT visit with several fuels, and knows that no more can be left than there was", async () => {
    const form = await phone.form(`kpt-visit.${campaign.campaignId}`);
    const household = campaign.groups.intervention.sample[0] ?? "";
    const at = "2024-02-01T17:30:00+02:00";
    const readings = [1, 2, 3].flatMap((piece) => [1, 2, 3].map((point) => [`piece${piece}_point${point}`, 18.5]));
    const moisture = { basis: "wet", ...Object.fromEntries(readings) };
    const wood = { fuel: "wood", start: 10, added: 1.5, end: 8.725, tare: 0.35, moisture };
    const charcoal = { fuel: "charcoal", start: 2, added: 0, end: 1.4 };
    const stoves = [{ kind: "three stones", used: "yes" }];
    const answers = { household, day: "0", at, fuels: [wood, charcoal], people: { women: 1 }, stoves };
    const { xml } = await fillForm(phone, form, answers);
    assert.match(await (await phone.send(xml)).text(), /filed when all days/, xml);
    const instanceId = /<instanceID>(.*?)<\/instanceID>/.exec(xml.replaceAll("orx:", ""))?.[1] ?? "";
    const { id } = await listed(instanceId);
    assert.partialDeepStrictEqual(requireStatus(await implementer("GET", `/odk/submissions/${id}`), 200).body, {
      answers: {
        fuels: [
          {
            fuel: "wood",
            start: "10",
            added: "1.5",
            end: "8.725",
            tare: "0.35",
            moisture: { basis: "wet", piece3_point3: "18.5" },
          },
          { fuel: "charcoal", end: "1.4" },
        ],
      },
    });
    const unread = { ...answers, fuels: [{ ...wood, moisture: { basis: "dry" } }] };
    await assert.rejects(fillForm(phone, form, unread), /refuses: .*point1 required/);
    for (const day of ["1", "2", "3"]) {
      const next = await fillForm(phone, form, { ...answers, day, at: `2024-02-0${Number(day) + 1}T17:30:00+02:00` });
      const message = await (await phone.send(next.xml)).text();
      assert.match(message, day === "3" ? /Received and accepted: KPT-/ : /filed when all days/);
    }
    const { resultId } = await listed(instanceId);
    const file = await readClaimFile(registry.deps, { campaignId: campaign.campaignId, claimId: resultId ?? "" });
    const [visit] = (file?.claim.visits ?? []) as { fuels: { fuel: string; tare?: unknown }[] }[];
    assert.deepEqual(
      visit?.fuels.map(({ fuel, tare }) => [fuel, tare === undefined ? undefined : String(tare)]),
      [
        ["wood", "0.35"],
        ["charcoal", undefined],
      ],
    );
    const impossible = { ...answers, fuels: [{ ...wood, end: 12 }] };
    await assert.rejects(fillForm(phone, form, impossible), /refuses: .*end.* constraint/);
  });
});
