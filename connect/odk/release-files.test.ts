import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { eq, sql } from "drizzle-orm";
import { openApp } from "../../api/app.ts";
import { createLog } from "../../api/platform/log.ts";
import { ServiceAccess } from "../../api/platform/ucan/index.ts";
import { implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { testAdminKey } from "../../test/support/core.ts";
import { usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import { callerOf, requireStatus } from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import { odkSubmissions } from "../records/tables.ts";
import type { StoredPhoto, Submission } from "./submissions/schemas.ts";

const dayMs = 24 * 3_600_000;
let world: TestWorld;
let opened: Awaited<ReturnType<typeof openApp>>;
let url: string;
let records: ReturnType<typeof recordsOf>;

const admin = callerOf(() => opened.app, testAdminKey);

async function open(env: Record<string, string> = {}): Promise<void> {
  const config = world.config({ ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000", ...env });
  opened = await openApp(config, createLog(config));
}

before(async () => {
  world = await createTestWorld();
  await open();
  await registerPlans({ admin });
  const about = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household"] };
  ({ url } = requireStatus(await admin("POST", "/odk/collectors", about), 201).body as { url: string });
  records = recordsOf(admin);
});
after(async () => {
  await opened?.close();
  await world?.close();
});

const jpeg = (text: string) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(text)]);
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** Send a household with a photo. The rules refuse half a child. */
async function send(
  children: string,
  photo: Buffer,
  { instanceId = `uuid:${randomUUID()}`, corrects = "", isIncomplete = false } = {},
): Promise<Submission> {
  const phone = usePhone(opened.app, url);
  const { version } = await phone.form("household-registration");
  const did = `did:ixo:household/${randomUUID()}`;
  const deprecated = corrects === "" ? "" : `<deprecatedID>${corrects}</deprecatedID>`;
  const xml = `<data id="household-registration" version="${version}"><did>${did}</did><people><children>${children}</children></people><photo>a.jpg</photo><meta><instanceID>${instanceId}</instanceID>${deprecated}</meta></data>`;
  const answer = await phone.send(xml, [{ name: "a.jpg", type: "image/jpeg", bytes: photo }], { isIncomplete });
  assert.equal(answer.status, 201);
  return await records.findByInstance(instanceId);
}

/** Let records be older, and start the server again, which then looks for files to release. */
async function age(ids: string[], days: number, env: Record<string, string> = {}): Promise<void> {
  const at = new Date(Date.now() - days * dayMs);
  for (const id of ids) {
    const { status } = await records.read(id);
    const endedAt = status === "incomplete" ? null : at;
    await opened.deps.db.update(odkSubmissions).set({ receivedAt: at, endedAt }).where(eq(odkSubmissions.id, id));
  }
  await opened.close();
  await open(env);
}

const isReleased = (id: string) =>
  untilFound(async () => {
    const [row] = await opened.deps.db.select().from(odkSubmissions).where(eq(odkSubmissions.id, id));
    return row?.filesReleasedAt == null ? undefined : true;
  });

/** The hashes of all files of records that the store has. */
async function stored(): Promise<string[]> {
  const { schemeFiles, files, clock } = opened.deps;
  const { identity } = schemeFiles;
  const access = await new ServiceAccess({ identity, authority: files.authority, clock }, "/connect/odk").access();
  const found: string[] = [];
  for await (const { contentHash, path } of schemeFiles.store.walk({ access }, "/connect/odk")) {
    if (!path.endsWith(".xml")) found.push(Buffer.from(contentHash.slice("sha256-".length), "base64").toString("hex"));
  }
  return found;
}
const areStored = async (...photos: Buffer[]) => {
  const all = await stored();
  return photos.map((photo) => all.includes(hashOf(photo)));
};

describe("the photos of a record that ended in nothing", () => {
  it("are destroyed when nobody corrected or completed it for a year, and the phone and the team see why", async () => {
    const [one, two, shared] = [jpeg("refused"), jpeg("cut off"), jpeg("the same photo in two records")];
    const refused = await send("2.5", one);
    const cutOff = await send("2", two, { isIncomplete: true });
    const twice = await send("2.5", shared);
    const kept = await send("2", shared);
    assert.deepEqual([refused.status, cutOff.status, kept.status], ["refused", "incomplete", "accepted"]);
    await age([refused.id, cutOff.id, twice.id, kept.id], 366);
    for (const { id } of [refused, cutOff, twice]) await isReleased(id);
    assert.deepEqual(await areStored(one, two, shared), [false, false, true]);
    const { status, details, files } = await records.read(refused.id);
    assert.deepEqual([status, details.map(({ code }) => code), files], ["deleted", ["record-abandoned"], []]);
    assert.equal((await admin("GET", `/odk/submissions/${refused.id}/files/a.jpg`)).status, 404);
    assert.equal((await admin("GET", `/odk/submissions/${kept.id}/files/a.jpg`)).status, 200);
    const sent = await admin("POST", `/odk/submissions/${refused.id}/correction`, { answers: [] });
    assert.equal(sent.status, 409);
  });

  it("stay while a correction may still need them", async () => {
    const [photo, unused] = [jpeg("to be corrected"), jpeg("stored for a correction")];
    const refused = await send("2.5", photo);
    requireStatus(await records.storePhoto(refused.id, unused), 201);
    await age([refused.id], 364);
    // Another record's release shows that the server has looked.
    const other = await send("2.5", jpeg("other"));
    await age([other.id], 400);
    await isReleased(other.id);
    assert.deepEqual(await areStored(photo, unused), [true, true]);
    const answers = [{ path: "people.children", answer: "2" }];
    const corrected = requireStatus(await records.correct(refused.id, answers), 200).body as Submission;
    assert.equal(corrected.status, "accepted");
    // Both versions name the photo; the other one was stored for nothing.
    await age([refused.id, corrected.id], 366);
    await isReleased(corrected.id);
    assert.deepEqual(await areStored(photo, unused), [true, false]);
    assert.equal((await admin("GET", `/odk/submissions/${corrected.id}/files/a.jpg`)).status, 200);
  });

  it("are those of all versions that it replaced, and stay with what was accepted", async () => {
    const [first, second] = [jpeg("first version"), jpeg("second version")];
    const former = await send("2.5", first);
    const edit = await send("2.5", second, { corrects: former.instanceId });
    const [before, own] = [jpeg("refused before"), jpeg("of the correction")];
    const other = await send("2.5", before);
    const { sha256 } = requireStatus(await records.storePhoto(other.id, own), 201).body as StoredPhoto;
    const body = { answers: [{ path: "people.children", answer: "2" }], files: [{ path: "photo", sha256 }] };
    const accepted = requireStatus(await admin("POST", `/odk/submissions/${other.id}/correction`, body), 200)
      .body as Submission;
    assert.equal(accepted.status, "accepted");
    await age([former.id, edit.id, other.id, accepted.id], 366);
    for (const { id } of [edit, accepted]) await isReleased(id);
    assert.deepEqual(await areStored(first, second, before, own), [false, false, true, true]);
  });

  it("that cannot be destroyed do not keep those of other records", async () => {
    const [uuid, stays, goes] = [randomUUID(), jpeg("cannot be destroyed"), jpeg("can be destroyed")];
    const stuck = await send("2.5", stays, { instanceId: `uuid:${uuid}` });
    const other = await send("2.5", goes);
    const { db } = opened.deps;
    await db.execute(sql`
      create function keep_file() returns trigger language plpgsql as $$ begin raise exception 'the file stays'; end $$`);
    const isOf = sql.raw(`old.path like '%${uuid}%'`);
    await db.execute(sql`
      create trigger keep_file before delete on files for each row when (${isOf}) execute function keep_file()`);
    // The older one is looked at first.
    await age([stuck.id], 400);
    await age([other.id], 370);
    await isReleased(other.id);
    assert.deepEqual(await areStored(stays, goes), [true, false]);
    await opened.deps.db.execute(sql`drop trigger keep_file on files`);
    await age([stuck.id], 400);
    await isReleased(stuck.id);
    assert.deepEqual(await areStored(stays), [false]);
  });

  it("stay for ever where RECORDS_OPEN_DAYS is 0", async () => {
    const photo = jpeg("for ever");
    const refused = await send("2.5", photo);
    await age([refused.id], 4_000, { RECORDS_OPEN_DAYS: "0" });
    assert.equal((await records.read(refused.id)).status, "refused");
    assert.deepEqual(await areStored(photo), [true]);
    assert.throws(() => world.config({ RECORDS_OPEN_DAYS: "7" }), /RECORDS_OPEN_DAYS/);
  });
});
