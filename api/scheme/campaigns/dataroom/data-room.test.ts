import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { compactVerify, importJWK } from "jose";
import { implementerDid, otherImplementerDid, planId } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { testAdminKey } from "../../../../test/support/core.ts";
import { requireStatus } from "../../../../test/support/registry.ts";
import { readZip } from "../../../../test/support/zip.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

async function download(campaignId: string): Promise<{ response: Response; bytes: Buffer }> {
  const response = await scene.registry.app.request(`/v1/campaigns/${campaignId}/data-room`, {
    headers: { authorization: `Bearer ${testAdminKey}` },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

test("holds every claim, the draw, the terms and the result, each with its SHA-256 in a signed manifest", async () => {
  const { campaignId, photo } = await scene.closedCampaign();
  const { response, bytes } = await download(campaignId);
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/zip"]);
  const files = await readZip(bytes);
  const manifestBytes = files.get("manifest.json") ?? assert.fail("no manifest");
  const manifest = JSON.parse(manifestBytes.toString());
  assert.deepEqual([manifest.format, manifest.campaignId], ["hearth-data-room-1", campaignId]);
  for (const { path, sha256: stated, bytes: size } of manifest.files) {
    const file = files.get(path) ?? assert.fail(path);
    assert.deepEqual([sha256(file), file.byteLength], [stated, size], path);
  }
  const unlisted = [...files.keys()].filter(
    (path) => !manifest.files.some((file: { path: string }) => file.path === path),
  );
  assert.deepEqual(unlisted.sort(), ["issuer.json", "manifest.json", "manifest.jwt"]);
  const names = manifest.files.map(({ path }: { path: string }) => path);
  for (const path of [
    "campaign.json",
    "claims.json",
    "draw.json",
    "parameters.json",
    "positions.json",
    "result.json",
  ]) {
    assert.ok(names.includes(path), path);
  }
  assert.equal(names.filter((path: string) => path.endsWith("/claim.json")).length, 6);
  assert.equal(`0x${sha256(files.get("result.json") ?? Buffer.of())}`, manifest.resultHash);
  const evidence = names.find((path: string) => path.endsWith("/evidence-1"));
  assert.deepEqual(files.get(evidence), photo);

  const issuer = JSON.parse(files.get("issuer.json")?.toString() ?? "");
  const key = await importJWK(
    issuer.verificationMethod.find((method: { publicKeyJwk?: object }) => method.publicKeyJwk).publicKeyJwk,
    "EdDSA",
  );
  const { payload } = await compactVerify(files.get("manifest.jwt")?.toString() ?? "", key);
  const { vc } = JSON.parse(Buffer.from(payload).toString());
  const dataRoomHash = `0x${sha256(manifestBytes)}`;
  assert.partialDeepStrictEqual(vc.credentialSubject, { campaignId, dataRoomHash, resultHash: manifest.resultHash });
  assert.equal(response.headers.get("data-room-hash"), dataRoomHash);
  const head = await scene.registry.app.request(`/v1/campaigns/${campaignId}/data-room`, {
    method: "HEAD",
    headers: { authorization: `Bearer ${testAdminKey}` },
  });
  assert.deepEqual([head.status, head.headers.get("data-room-hash")], [200, dataRoomHash]);
});

test("gives the same bytes for the same state, also after a certificate was made of it", async () => {
  const { campaignId } = await scene.closedCampaign();
  const first = await download(campaignId);
  assert.ok(first.bytes.equals((await download(campaignId)).bytes));
  await scene.certify(campaignId);
  assert.ok(first.bytes.equals((await download(campaignId)).bytes));
});

test("names a household only in its claim's own file and credential", async () => {
  const { campaignId } = await scene.closedCampaign();
  const files = await readZip((await download(campaignId)).bytes);
  for (const [path, bytes] of files) {
    if (!path.startsWith("claims/")) assert.doesNotMatch(bytes.toString("latin1"), /did:ixo:household/, path);
  }
});

test("is for the regulator, evaluators and the campaign's implementer; for others the campaign is unknown", async () => {
  const { campaignId } = await scene.closedCampaign();
  const { registry } = scene;
  const path = `/campaigns/${campaignId}/data-room`;
  for (const [role, limits] of [["regulator"], ["evaluator"], ["implementer", { implementerDid }]] as const) {
    requireStatus(await (await registry.as(role, limits))("GET", path), 200);
  }
  const stranger = await registry.as("implementer", { implementerDid: otherImplementerDid });
  const unknown = await stranger("GET", "/campaigns/NONE/data-room");
  const refused = await stranger("GET", path);
  assert.deepEqual([refused.status, unknown.status], [404, 404]);
  const integrator = await registry.as("integrator", { scopes: ["campaigns:read"] });
  assert.equal((await integrator("GET", path)).status, 403);
});

test("holds the calibrations of the plan's scales", async () => {
  const calibration = {
    calibratedOn: "2024-01-10",
    validUntil: "2025-01-09",
    certificate: "https://lab.example/7.pdf",
  };
  const { implementer } = scene;
  const registered = requireStatus(
    await implementer("POST", "/scales", { serial: "SCALE-7", planId, ...calibration }),
    201,
  );
  const { campaignId } = await scene.closedCampaign({ plan: scene.sharedPlan });
  const files = await readZip((await download(campaignId)).bytes);
  const listed = JSON.parse(files.get("scales.json")?.toString() ?? "[]");
  const [{ recordedAt, ...others }] = listed;
  assert.deepEqual(others, { serial: "SCALE-7", ...calibration, sha256: null });
  const { createdAt } = registered.body as { createdAt: string };
  assert.equal(recordedAt, createdAt);
});

test("waits for the close", async () => {
  const { campaignId } = await scene.openCampaign();
  const early = await scene.registry.admin("GET", `/campaigns/${campaignId}/data-room`);
  assert.equal(early.status, 409);
});
