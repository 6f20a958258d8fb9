import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  registerFrames,
  registerPlans,
  requireStatus,
} from "../../../test/support/campaigns.ts";
import { type Caller, openRegistryTest, type RegistryTest, rulesOf } from "../../../test/support/registry.ts";
import type { CampaignResultResponse } from "../campaigns/result/schemas.ts";
import type { CampaignResponse } from "../campaigns/schemas.ts";
import { type CampaignInput, decimal, evaluateCampaign } from "../emissions/index.ts";
import { readClaimFile } from "./evidence.ts";
import type { KptClaim } from "./schemas.ts";

let registry: RegistryTest;
let implementer: Caller;
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
});
after(() => registry?.close());

/** Kilograms (kWh) of each fuel that a household burns a day. */
type Kitchen = Record<string, number>;
const reference: Kitchen[] = [{ wood: 6 }, { wood: 5.5, charcoal: 0.4 }, { wood: 6.2, charcoal: 0.25 }];
const intervention: Kitchen[] = [{ wood: 1.2, charcoal: 0.75 }, { charcoal: 1.1 }, { wood: 0.8, charcoal: 0.9 }];

function claimOf(householdId: string, testGroup: string, kitchen: Kitchen, changes: object = {}) {
  const visits = [0, 1, 2, 3].map((day) => ({
    day,
    at: `2024-02-0${day + 1}T17:30:00Z`,
    collector: "did:key:z6MkCollector",
    fuels: Object.entries(kitchen).map(([fuel, used]) => ({
      fuel,
      start: 10,
      added: 1.5,
      end: Number((11.5 - used).toFixed(3)),
      scaleId: "SCALE-1",
    })),
    peopleFed: { children: 2, women: 1, men: 1, guests: 1 },
    stoves: [
      { serial: "STOVE-1", kind: "Jiko 2", used: true },
      { kind: "three stones", used: true },
    ],
  }));
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-02-04" };
  const externalFactors = { season: "dry", culturalEvents: [], occupationalFactors: [] };
  return { type: "KPTClaim", householdId, testGroup, testPeriod, visits, externalFactors, ...changes };
}

const terms = {
  method: "smec-4",
  fuel: "wood",
  area: "ZMB",
  units: 1000,
  newUnits: 1000,
  householdSize: 4.5,
  usageSurvey: { surveyed: 100, inUse: 92 },
  life: 3,
  daf: 0.1,
  he: 0.9,
};

async function drawn(): Promise<CampaignResponse> {
  const body = await registerFrames(registry.admin, exampleCampaign({ sampleSize: 3, emissions: terms }, 3));
  return await drawnCampaign(implementer, body);
}

test("a claim with visits adds the emissions of every fuel in both groups", async () => {
  const campaign = await drawn();
  const { campaignId } = campaign;
  const filed: KptClaim[] = [];
  for (const [group, kitchens] of [
    ["reference", reference],
    ["intervention", intervention],
  ] as const) {
    for (const [i, kitchen] of kitchens.entries()) {
      const claim = claimOf(campaign.groups[group].sample[i] ?? "", group, kitchen);
      filed.push(requireStatus(await implementer("POST", "/claims", claim), 201).body as KptClaim);
    }
  }
  assert.deepEqual(
    filed.map(({ fuels }) => fuels),
    [
      [{ fuel: "wood", total: 24, unit: "kg" }],
      [
        { fuel: "wood", total: 22, unit: "kg" },
        { fuel: "charcoal", total: 1.6, unit: "kg" },
      ],
      [
        { fuel: "wood", total: 24.8, unit: "kg" },
        { fuel: "charcoal", total: 1, unit: "kg" },
      ],
      [
        { fuel: "wood", total: 4.8, unit: "kg" },
        { fuel: "charcoal", total: 3, unit: "kg" },
      ],
      [{ fuel: "charcoal", total: 4.4, unit: "kg" }],
      [
        { fuel: "wood", total: 3.2, unit: "kg" },
        { fuel: "charcoal", total: 3.6, unit: "kg" },
      ],
    ],
  );
  const [, second] = filed;
  const { vc } = JSON.parse(Buffer.from(second?.credential.jwt.split(".")[1] ?? "", "base64url").toString());
  assert.partialDeepStrictEqual(vc.credentialSubject, {
    fuelMeasurements: { total: 22, dailyLogs: 4, unit: "kg" },
    fuels: [
      { fuel: "wood", total: 22, unit: "kg" },
      { fuel: "charcoal", total: 1.6, unit: "kg" },
    ],
  });
  const file = await readClaimFile(registry.deps, { campaignId, claimId: second?.id ?? "" });
  const kept = file?.claim.visits as { fuels: { fuel: string }[]; stoves: object[] }[];
  assert.deepEqual([kept.length, kept[0]?.fuels.length, kept[0]?.stoves.length], [4, 2, 2]);

  const result = requireStatus(await implementer("GET", `/campaigns/${campaignId}/result`), 200)
    .body as CampaignResultResponse;
  const [reduction] = result.emissions.reductions;
  const burntBy = (kitchens: Kitchen[]) =>
    kitchens.map((kitchen, position) => ({
      position,
      burnt: Object.fromEntries(Object.entries(kitchen).map(([fuel, used]) => [fuel, decimal(String(used)).times(4)])),
    }));
  const fNRB = decimal(String(reduction?.lines.find(({ name }) => name === "fNRB")?.value));
  const input: CampaignInput = {
    method: "smec-4",
    convention: "two-sided-90",
    design: "independent",
    test: { startDate: "2024-02-01", endDate: "2024-02-04", dayCount: "calendar" },
    groups: { reference: burntBy(reference), intervention: burntBy(intervention) },
    householdSize: decimal("4.5"),
    devices: { devices: decimal(1000), newDevices: decimal(1000) },
    creditingPeriod: { from: "2024-01-01", to: "2024-12-31" },
    usageSurvey: { surveyed: 100, inUse: 92 },
    factors: { wood: { values: { fNRB } }, charcoal: { values: { fNRB } } },
    parameters: { DAF: decimal("0.1"), life: decimal(3), HE: decimal("0.9") },
  };
  const expected = evaluateCampaign(input).asMeasured?.result;
  assert.equal(reduction?.er?.toFixed(9), expected?.reductions.toFixed(9));
  assert.equal(reduction?.be?.toFixed(9), expected?.baseline.toFixed(9));
  const names = reduction?.lines.map(({ name }) => name) ?? [];
  assert.equal(new Set(names).size, names.length, "each line has a name by itself");
  assert.ok(names.includes("Baseline, charcoal: mean of 3 households"));
});

test("refuses visits with every broken rule, and both forms together", async () => {
  const campaign = await drawn();
  const household = campaign.groups.reference.sample[0] ?? "";
  const claim = claimOf(household, "reference", { wood: -0.5 });
  const refused = await implementer("POST", "/claims", claim);
  const balance = Array.from({ length: 4 }, () => "weighing-balance");
  assert.deepEqual([refused.status, rulesOf(refused)], [400, ["positive-values", ...balance]]);
  const both = await implementer("POST", "/claims", {
    ...claimOf(household, "reference", { wood: 6 }),
    fuelMeasurements: { total: 24, dailyLogs: [6, 6, 6, 6] },
  });
  assert.deepEqual([both.status, rulesOf(both)], [400, ["measured-once"]]);
});

test("the same visits again are the same claim; a claim with one fuel is another", async () => {
  const campaign = await drawn();
  const household = campaign.groups.reference.sample[0] ?? "";
  const claim = claimOf(household, "reference", { wood: 6 });
  requireStatus(await implementer("POST", "/claims", claim), 201);
  const again = await implementer("POST", "/claims", claim);
  assert.deepEqual([again.status, rulesOf(again)], [409, ["same-claim"]]);
  const { visits: _, ...rest } = claim;
  const other = await implementer("POST", "/claims", {
    ...rest,
    fuelMeasurements: { total: 24, dailyLogs: [6, 6, 6, 6] },
  });
  assert.deepEqual([other.status, rulesOf(other)], [409, ["period-already-measured"]]);
});
