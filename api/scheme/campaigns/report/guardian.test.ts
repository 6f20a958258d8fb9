import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { otherImplementerDid } from "../../../../test/support/campaigns.ts";
import { type ClosedScene, openClosedScene } from "../../../../test/support/closed-campaign.ts";
import { requireStatus } from "../../../../test/support/registry.ts";
import type { GuardianReport } from "./guardian.ts";

let scene: ClosedScene;
before(async () => {
  scene = await openClosedScene();
});
after(() => scene?.close());

const path = (campaignId: string) => `/campaigns/${campaignId}/monitoring-report/guardian`;

type Subject = {
  emission_reductions: Record<string, number | string | null>[];
  exact: Record<string, string>;
  units: Record<string, string>;
  not_measured: Record<string, string>;
};

test("has the result's figures under Guardian's names, signed by this service", async () => {
  const { campaignId } = await scene.closedCampaign();
  const { body } = requireStatus(await scene.regulator("GET", path(campaignId)), 200);
  const report = body as GuardianReport & { credentialSubject: Subject; type: string[]; issuer: string };
  assert.deepEqual(report.type, ["VerifiableCredential", "MonitoringReportCredential"]);
  const signed = JSON.parse(Buffer.from(report.proof.jwt.split(".")[1] ?? "", "base64url").toString());
  assert.deepEqual(signed.vc.credentialSubject, report.credentialSubject);
  assert.equal(signed.iss, report.issuer);
  const result = requireStatus(await scene.regulator("GET", `/campaigns/${campaignId}/result`), 200).body as {
    closing: { resultHash: string };
    emissions: { reductions: { method: string; be: number; certifiable: { er: number } }[] };
  };
  const reduction = result.emissions.reductions.find(({ method }) => method === "smec-4");
  const [row] = report.credentialSubject.emission_reductions;
  assert.partialDeepStrictEqual(report.credentialSubject, { campaignId, resultHash: result.closing.resultHash });
  assert.partialDeepStrictEqual(row, {
    year: "2024",
    // Three devices in a leap year.
    nb_p_y: 1098,
    n_disseminated: 3,
    daf_netzero_y: 0.1,
    he_ind: 0.9,
    pb_mean: 0.006,
    pp_mean: 0.003,
    stove_stacking_fraction: null,
  });
  assert.ok(Math.abs(Number(row?.be_y) - (reduction?.be ?? 0)) < 1e-8, `${row?.be_y}`);
  // What is credited is never rounded up.
  assert.ok(Number(row?.er_y) <= (reduction?.certifiable.er ?? 0) && Number(row?.er_y) > 0, `${row?.er_y}`);
  assert.ok(Math.abs(Number(row?.up_y) - 0.05 ** (1 / 3)) < 1e-8 && Number(row?.fnrb_b_y) > 0 && Number(row?.le_y) > 0);
  const { units, exact, not_measured: notMeasured } = report.credentialSubject;
  assert.deepEqual(Object.keys(units).sort(), Object.keys(exact).sort());
  assert.deepEqual(Object.keys(notMeasured), ["stove_stacking_fraction"]);
});

test("is the same for the same state, and for those who may read the data room", async () => {
  const { campaignId } = await scene.closedCampaign();
  const answers = [await scene.regulator("GET", path(campaignId)), await scene.implementer("GET", path(campaignId))];
  assert.deepEqual(answers[0]?.body, answers[1]?.body);
  const stranger = await scene.registry.as("implementer", { implementerDid: otherImplementerDid });
  assert.equal((await stranger("GET", path(campaignId))).status, 404);
  const open = await scene.openCampaign();
  assert.equal((await scene.regulator("GET", path(open.campaignId))).status, 409);
});
