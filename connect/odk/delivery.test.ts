import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { fillForm } from "../../test/support/odk-engine.ts";
import { usePhone } from "../../test/support/odk-phone.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../../test/support/scheme.ts";
import type { CreatedCollector } from "./collectors/schemas.ts";

let scheme: TestScheme;
before(async () => {
  scheme = await openTestScheme();
});
after(() => scheme?.close());

async function call(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${testAdminKey}` };
  return await scheme.app.request(`/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

it("files a supplier's delivery claim, and shows why another one is refused", async () => {
  const { implementerDid, supplierDid, productId, householdDid, issuer } = scheme;
  const person = { name: "Driver", collectorDid: "did:key:z6MkDriver", implementerDid, supplierDid };
  const made = await call("POST", "/odk/collectors", { ...person, forms: ["delivery"] });
  const phone = usePhone(scheme.app, ((await made.json()) as CreatedCollector).url);
  const form = await phone.form("delivery");
  const redemption = await scheme.redeem();
  const subject = { redemptionId: redemption, productId, supplierDid, deliveredAt: new Date().toISOString() };
  const sign = (recipient: string) =>
    issuer.signCredential({ type: "ProductDeliveryCredential", subject: { ...subject, recipient } });
  const wrong = await fillForm(phone, form, { redemption, credential: await sign("did:ixo:household/other") });
  assert.match(
    await (await phone.send(wrong.xml)).text(),
    /not accepted\. The credential&#39;s recipient is not the redemption&#39;s/,
  );
  const right = await fillForm(phone, form, { redemption, credential: await sign(householdDid) });
  const claimId = redemption.replace("REDM", "CLM");
  for (const _ of [1, 2]) assert.match(await (await phone.send(right.xml)).text(), new RegExp(`accepted: ${claimId}`));
  const claim = (await (await call("GET", `/claims/${claimId}`)).json()) as { status: string };
  assert.equal(claim.status, "approved");
});
