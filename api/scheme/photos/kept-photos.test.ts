import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { eq, sql } from "drizzle-orm";
import { exifPhoto } from "../../../test/support/exif-photo.ts";
import { type Caller, requireStatus, rulesOf } from "../../../test/support/registry.ts";
import { implementerDid, openVoucherTest, type VoucherTest } from "../../../test/support/vouchers.ts";
import { claimCredentials } from "../claims/tables.ts";
import { photoEvidence } from "../kpt/index.ts";
import { releasePhotos } from "./release-photos.ts";
import { keptPhotos } from "./tables.ts";

const otherDid = "did:ixo:implementer/other";
const quota = 2_000;
const dayMs = 86_400_000;

let t: VoucherTest;
let own: Caller;
let other: Caller;

before(async () => {
  t = await openVoucherTest({ PHOTO_QUOTA_BYTES: String(quota) });
  own = await t.as("implementer", { implementerDid });
  other = await t.as("implementer", { implementerDid: otherDid });
});
after(() => t?.close());

const photoOf = (mark: string) => exifPhoto({ mark: mark.padEnd(600, ".") });
const digestOf = (photo: Uint8Array) => createHash("sha256").update(photo).digest("hex");
const jpeg = { "content-type": "image/jpeg" };
const send = (caller: Caller, photo: Uint8Array) => caller("POST", "/photos", photo, jpeg);

/** Destroy what is old enough, some days from now. */
const releaseAfter = (days: number) =>
  releasePhotos(
    {
      ...t.deps,
      clock: { now: () => new Date(Date.now() + days * dayMs) },
      recordsOpenDays: 30,
      evidenceAmong: (photos) => photoEvidence(t.deps.db, photos),
    },
    new AbortController().signal,
  );

describe("photos that are kept", () => {
  it("count to the quota of their sender with all its keys, the same photo once, and to nobody else's", async () => {
    const [first, second, third] = [photoOf("1"), photoOf("2"), photoOf("3")];
    assert.ok(first.length * 2 <= quota && first.length * 3 > quota, String(first.length));
    requireStatus(await send(own, first), 201);
    requireStatus(await send(own, first), 201);
    requireStatus(await send(await t.as("implementer", { implementerDid }), second), 201);
    const refused = await send(own, third);
    assert.deepEqual([refused.status, rulesOf(refused)], [413, ["sender-quota"]]);
    assert.equal((await t.admin("GET", `/photos/${digestOf(third)}`)).status, 404);
    requireStatus(await send(other, photoOf("4")), 201);
  });

  it("are destroyed with their EXIF data when no record has named them for some days, and their bytes are free", async () => {
    assert.equal(await releaseAfter(29), 0);
    const named = photoOf("1");
    await t.deps.db.execute(sql`
      insert into kpt_evidence (claim, item, sha256) values ('CLAIM-1', 0, ${digestOf(named)})`);
    assert.equal(await releaseAfter(31), 2);
    const { rows } = await t.deps.db.execute(sql`select sha256 from photo_facts`);
    assert.deepEqual(rows, [{ sha256: digestOf(named) }]);
    assert.equal((await t.admin("GET", `/photos/${digestOf(photoOf("2"))}`)).status, 404);
    assert.equal((await t.admin("GET", `/photos/${digestOf(named)}`)).status, 200);
    requireStatus(await send(own, photoOf("3")), 201);
  });

  it("stay when they are sent again, and when the sender is another", async () => {
    assert.equal(await releaseAfter(0), 0);
    await t.deps.db.execute(sql`update kept_photos set sent_at = now() - interval '40 days'`);
    requireStatus(await send(other, photoOf("3")), 201);
    assert.equal(await releaseAfter(0), 0);
    assert.equal((await t.admin("GET", `/photos/${digestOf(photoOf("3"))}`)).status, 200);
  });

  it("stay when a delivery credential or a record that the chain does not have yet names them", async () => {
    const third = await t.as("implementer", { implementerDid: "did:ixo:implementer/third" });
    const [delivered, linked, replaced] = [photoOf("delivered"), photoOf("linked"), photoOf("replaced")];
    const uris: string[] = [];
    for (const photo of [delivered, replaced]) {
      uris.push((requireStatus(await third("POST", "/photos", photo, jpeg), 201).body as { uri: string }).uri);
    }
    requireStatus(await other("POST", "/photos", linked, jpeg), 201);
    const [first = "", second = ""] = uris;
    const evidence = [
      { type: "photo", cid: first.replace("ipfs://", "") },
      { type: "photo", uri: `https://hearth.example/v1/photos/${digestOf(linked)}` },
    ];
    const parts = [{ alg: "EdDSA" }, { vc: { credentialSubject: { evidence } } }].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    await t.deps.db.insert(claimCredentials).values({
      credentialHash: "0x01",
      redemptionId: "REDM-1",
      issuer: "did:key:zIssuer",
      token: [...parts, "AA"].join("."),
      createdAt: new Date(),
    });
    await t.deps.db.execute(sql`
      insert into campaign_replacements (campaign, "group", dropped, reason, evidence)
      values (1, 'reference', 1, 'refused', ${second})`);
    await t.deps.db.execute(sql`update kept_photos set sent_at = now() - interval '40 days'`);
    await releaseAfter(0);
    for (const photo of [delivered, linked, replaced])
      assert.equal((await t.admin("GET", `/photos/${digestOf(photo)}`)).status, 200);
  });

  it("stay when they are sent again while they are being destroyed, before and after a kill", async () => {
    const sender = await t.as("implementer", { implementerDid: "did:ixo:implementer/fourth" });
    const photo = photoOf("again");
    const isThere = async () => (await t.admin("GET", `/photos/${digestOf(photo)}`)).status;
    /** Send it again each time that records are searched for it: before it is moved away, and after. */
    for (const time of [1, 2]) {
      requireStatus(await send(sender, photo), 201);
      await t.deps.db.execute(sql`update kept_photos set sent_at = now() - interval '40 days'`);
      let times = 0;
      const evidenceAmong = async () => {
        if (++times === time) requireStatus(await send(sender, photo), 201);
        return new Set<string>();
      };
      await releasePhotos({ ...t.deps, recordsOpenDays: 30, evidenceAmong }, new AbortController().signal);
      assert.ok(times >= time, String(times));
      assert.equal(await isThere(), 200);
    }
    await t.deps.db.execute(sql`update kept_photos set sent_at = now() - interval '40 days'`);
    let times = 0;
    const killed = async () => {
      if (++times === 2) throw new Error("killed");
      return new Set<string>();
    };
    const interrupted = { ...t.deps, recordsOpenDays: 30, evidenceAmong: killed };
    await assert.rejects(releasePhotos(interrupted, new AbortController().signal), /killed/);
    assert.equal(await isThere(), 404);
    requireStatus(await send(sender, photo), 201);
    await releaseAfter(0);
    assert.equal(await isThere(), 200);
    assert.ok((await releaseAfter(31)) > 0);
    assert.equal(await isThere(), 404);
  });

  it("are kept by their rows until their file is destroyed, and what could not be stored does not count", async () => {
    const sender = await t.as("implementer", { implementerDid: "did:ixo:implementer/fifth" });
    const photo = photoOf("lost key");
    requireStatus(await send(sender, photo), 201);
    const secrets = () =>
      t.deps.db.execute<{ id: string; secret_id: string }>(sql`select id, secret_id from file_key_groups`);
    const { rows } = await secrets();
    await t.deps.db.execute(sql`update file_key_groups set secret_id = ${"f".repeat(32)}`);
    assert.equal(await releaseAfter(31), 0);
    const counted = () => t.deps.db.$count(keptPhotos, eq(keptPhotos.sha256, digestOf(photo)));
    assert.equal(await counted(), 1);
    for (const { id, secret_id } of rows)
      await t.deps.db.execute(sql`update file_key_groups set secret_id = ${secret_id} where id = ${id}`);
    assert.ok((await releaseAfter(31)) > 0);
    assert.equal(await counted(), 0);
    await t.deps.db.execute(sql`
      create function refuse_files() returns trigger language plpgsql as $$ begin raise exception 'no files now'; end $$`);
    await t.deps.db.execute(sql`
      create trigger refuse_files before insert on files for each row execute function refuse_files()`);
    assert.equal((await send(sender, photo)).status, 500);
    assert.equal(await counted(), 0);
    await t.deps.db.execute(sql`drop trigger refuse_files on files`);
    requireStatus(await send(sender, photo), 201);
    assert.equal(await counted(), 1);
  });

  it("stay for ever where nothing is abandoned", async () => {
    await t.deps.db.execute(sql`update kept_photos set sent_at = now() - interval '4000 days'`);
    const deps = { ...t.deps, recordsOpenDays: 0, evidenceAmong: async () => new Set<string>() };
    assert.equal(await releasePhotos(deps, new AbortController().signal), 0);
  });
});
