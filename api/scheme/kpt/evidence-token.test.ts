import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  exampleCampaign,
  implementerDid,
  otherImplementerDid,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../test/support/campaigns.ts";
import { type Answer, type Caller, openRegistryTest, type RegistryTest } from "../../../test/support/registry.ts";
import { generateKey, mintToken, parseDelegation } from "../../platform/ucan/mint.ts";
import { type ClaimFiles, readClaimFile, storeClaimFiles } from "./evidence.ts";
import type { EvidenceToken } from "./evidence-token.ts";

const photo = `data:image/png;base64,${Buffer.from("a photo").toString("base64")}`;
let test: RegistryTest;
let stored: ClaimFiles;
let elsewhere: ClaimFiles;
const [ours, theirs] = [exampleCampaign({ campaignId: "CAMP/1" }), exampleCampaign()];
const path = `/campaigns/${encodeURIComponent(ours.campaignId)}/evidence-token`;

before(async () => {
  test = await openRegistryTest();
  await registerPlans(test);
  for (const body of [ours, theirs]) {
    requireStatus(await test.admin("POST", "/campaigns", await registerFrames(test.admin, body)), 201);
  }
  const claim = `{"evidence":["${photo}"],"total":11.9}`;
  stored = await storeClaimFiles(test.deps, { campaignId: ours.campaignId, claimId: "KPT-1", claim });
  elsewhere = await storeClaimFiles(test.deps, {
    campaignId: theirs.campaignId,
    claimId: "KPT-2",
    claim: '{"total":2}',
  });
});
after(() => test.close());

const given = (answer: Answer) => requireStatus(answer, 201).body as EvidenceToken;
const readCid = (token: string, uri: string | undefined, method = "GET") =>
  test.app.request(`/api/fs/cid/${uri?.replace("ipfs://", "")}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
const as = (role: string, limits?: Record<string, unknown>): Promise<Caller> => test.as(role, limits);

describe("a token for a campaign's evidence", () => {
  it("opens the claims' links, and nothing of another campaign", async () => {
    const { token, ...rest } = given(await test.admin("POST", path));
    assert.deepEqual(
      { ...rest, expiresAt: "" },
      {
        use: "bearer",
        audience: test.deps.files.identity.did,
        namespace: test.deps.files.identity.keyDid,
        path: "/kpt/CAMP%2F1",
        expiresAt: "",
      },
    );
    const [record, image] = stored.evidence;
    const claim = await readCid(token, record);
    assert.equal(claim.status, 200);
    const known = await readClaimFile(test.deps, { campaignId: ours.campaignId, claimId: "KPT-1" });
    assert.equal(((await claim.json()) as { salt: string }).salt, known?.salt);
    const shown = await readCid(token, image);
    assert.equal(await shown.text(), "a photo");
    assert.equal(shown.headers.get("content-type"), "image/png");
    assert.equal((await readCid(token, elsewhere.evidence[0])).status, 404);
  });

  it("lets nobody write, list another folder, or read without it", async () => {
    const { token } = given(await test.admin("POST", path));
    const headers = { authorization: `Bearer ${token}` };
    const write = { method: "POST", headers, body: "x" };
    assert.equal(
      (await test.app.request(`/api/fs/files?path=${encodeURIComponent("/kpt/CAMP%2F1/x")}`, write)).status,
      403,
    );
    const other = await test.app.request("/api/fs/content?path=/kpt/other/claim.json", { headers });
    assert.equal(other.status, 404);
    assert.equal((await test.app.request(`/api/fs/cid/${stored.claimCid}`)).status, 401);
  });

  it("is for regulators, evaluators and the campaign's implementer; to another the campaign is not there", async () => {
    for (const caller of [
      await as("regulator"),
      await as("evaluator"),
      await as("implementer", { implementerDid }),
      await as("integrator", { scopes: ["campaigns:write"], dids: [implementerDid] }),
    ]) {
      assert.equal((await readCid(given(await caller("POST", path)).token, stored.evidence[0])).status, 200);
    }
    const stranger = await as("implementer", { implementerDid: otherImplementerDid });
    assert.equal((await stranger("POST", path)).status, 404);
    const reader = await as("integrator", { scopes: ["campaigns:read"], dids: [implementerDid] });
    assert.equal((await reader("POST", path)).status, 403);
    assert.equal((await test.admin("POST", "/campaigns/none/evidence-token")).status, 404);
  });

  it("expires when it says", async () => {
    const { token, expiresAt } = given(await test.admin("POST", path, { seconds: 1 }));
    assert.ok(Date.parse(expiresAt) <= Date.now() + 1000);
    const { expiration } = await parseDelegation(token);
    assert.equal(expiration, Date.parse(expiresAt) / 1000);
    for (const seconds of [0, 86_401]) assert.equal((await test.admin("POST", path, { seconds })).status, 400);
  });

  it("can be handed to a DID, which signs its own tokens with it", async () => {
    const [auditor, thief] = await Promise.all([generateKey(), generateKey()]);
    const { token, use, audience } = given(await test.admin("POST", path, { audience: auditor.did() }));
    assert.deepEqual([use, audience], ["delegation", auditor.did()]);
    assert.equal((await readCid(token, stored.evidence[0])).status, 401);
    const proof = await parseDelegation(token);
    const bearer = (issuer: typeof auditor, folder: string) =>
      mintToken({
        issuer,
        audience: test.deps.files.identity.did,
        owner: test.deps.schemeFiles.owner,
        abilities: ["fs/read"],
        path: folder,
        proofs: [proof],
      });
    assert.equal((await readCid(await bearer(auditor, "/kpt/CAMP%2F1"), stored.evidence[0])).status, 200);
    assert.equal((await readCid(await bearer(auditor, "/kpt"), stored.evidence[0])).status, 401);
    assert.equal((await readCid(await bearer(thief, "/kpt/CAMP%2F1"), stored.evidence[0])).status, 401);
    assert.equal((await test.admin("POST", path, { audience: "did:ixo:household/1" })).status, 400);
  });
});
