import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import { storeClaimFiles } from "../../api/scheme/kpt/evidence.ts";
import { readSchemeFile, storeSchemeFile } from "../../api/scheme/scheme-files/index.ts";
import { implementerDid, registerPlans } from "../../test/support/campaigns.ts";
import { exifPhoto } from "../../test/support/exif-photo.ts";
import { usePhone } from "../../test/support/odk-phone.ts";
import { openRegistryTest, type RegistryTest, requireStatus, rulesOf } from "../../test/support/registry.ts";

const limit = 400_000;
const photoBytes = 50_000;

const photoOf = (mark: string) => exifPhoto({ mark: mark.padEnd(photoBytes, ".") });

async function sendRecord(t: RegistryTest, url: string, mark: string): Promise<Response> {
  const phone = usePhone(t.app, url);
  const { version } = await phone.form("household-registration");
  const did = `did:ixo:household/${randomUUID()}`;
  const xml = `<data id="household-registration" version="${version}"><did>${did}</did><photo>a.jpg</photo><meta><instanceID>uuid:${randomUUID()}</instanceID></meta></data>`;
  return await phone.send(xml, [{ name: "a.jpg", type: "image/jpeg", bytes: Buffer.from(photoOf(mark)) }]);
}

for (const name of ["NAMESPACE_QUOTA_BYTES", "STORE_LIMIT_BYTES"]) {
  it(`what field teams and senders of photos and claims store leaves a tenth of ${name} to the scheme's own files`, async (test) => {
    const t = await openRegistryTest({ [name]: String(limit) });
    test.after(() => t.close());
    await registerPlans(t);
    const about = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["household"] };
    const { url } = requireStatus(await t.admin("POST", "/odk/collectors", about), 201).body as { url: string };
    let stored = 0;
    let answer = await sendRecord(t, url, "0");
    while (answer.status === 201) {
      stored += 1;
      assert.ok(stored * photoBytes <= limit, "The field team filled it.");
      answer = await sendRecord(t, url, String(stored));
    }
    assert.equal(answer.status, 413);
    assert.match(await answer.text(), /may fill 90 % of the .*, 360000 bytes/);
    assert.ok(stored > 0 && stored * photoBytes <= 0.9 * limit, `${stored} photos were stored.`);

    const photo = await t.admin("POST", "/photos", photoOf("sent"), { "content-type": "image/jpeg" });
    assert.deepEqual([photo.status, rulesOf(photo)], [413, ["sent-files-quota"]]);
    const uri = `data:image/jpeg;base64,${Buffer.from(photoOf("claim")).toString("base64")}`;
    const claim = JSON.stringify({ total: 11.9, evidence: [uri] });
    const ref = { campaignId: "KPT-1", claimId: "CLAIM-1" };
    await assert.rejects(storeClaimFiles(t.deps, { ...ref, claim }), /may fill 90 %/);

    const bytes = Buffer.alloc(20_000, "result");
    await storeSchemeFile(t.deps, { path: "/kpt/KPT-1/result.json", bytes, mimeType: "application/json" });
    assert.deepEqual(await readSchemeFile(t.deps, "/kpt/KPT-1/result.json"), bytes);
  });
}
