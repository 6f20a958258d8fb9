import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  drawnCampaign,
  exampleCampaign,
  implementerDid,
  registerFrames,
  registerPlans,
} from "../../test/support/campaigns.ts";
import { moistureReadings, statedTerms } from "../../test/support/closed-campaign.ts";
import { type Filled, fillForm } from "../../test/support/odk-engine.ts";
import { type Phone, usePhone } from "../../test/support/odk-phone.ts";
import { recordsOf } from "../../test/support/odk-records.ts";
import { type Caller, openRegistryTest, type RegistryTest, requireStatus } from "../../test/support/registry.ts";

let registry: RegistryTest;
let implementer: Caller;
let phone: Phone;
let formId: string;
let households: { reference: string[]; intervention: string[] };
before(async () => {
  registry = await openRegistryTest();
  await registerPlans(registry);
  implementer = await registry.as("implementer", { implementerDid });
  const emissions = { ...statedTerms, fuelMass: "dry", dryNcv: { wood: 0.0184 } };
  const body = await registerFrames(registry.admin, exampleCampaign({ emissions, sampleSize: 2 }, 2));
  const { campaignId, groups } = await drawnCampaign(implementer, body);
  households = { reference: groups.reference.sample, intervention: groups.intervention.sample };
  const about = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid, forms: ["kpt"], campaignId };
  const { url } = requireStatus(await registry.admin("POST", "/odk/collectors", about), 201).body as { url: string };
  phone = usePhone(registry.app, url);
  formId = `kpt-visit.${campaignId}`;
});
after(() => registry?.close());

/** Nine readings whose mean is 18.75 %, by their names in the form. */
function moisture(basis: "wet" | "dry"): Filled {
  const readings = moistureReadings.flatMap((piece, i) =>
    piece.map((percent, j) => [`piece${i + 1}_point${j + 1}`, percent]),
  );
  return { basis, ...Object.fromEntries(readings) };
}

const wood = { fuel: "wood", start: 10, added: 1.5, end: 8.725 };
const charcoal = { fuel: "charcoal", start: 2, added: 0, end: 1.4 };

/** Fill the form of a visit with ODK's engine. */
async function visit(household: string | undefined, day: number, fuels: Filled[]): Promise<string> {
  const at = new Date(Date.UTC(2024, 1, 1 + day, 15, 30)).toISOString();
  const answers = { household: household ?? "", day: String(day), at, fuels, people: { women: 1 } };
  return (await fillForm(phone, await phone.form(formId), answers)).xml;
}

/** Fill and send a visit on each day of a household's test; returns its claim. */
async function measure(household: string | undefined, fuelsOf: (day: number) => Filled[]) {
  const replies: string[] = [];
  for (const day of [0, 1, 2, 3]) {
    const xml = await visit(household, day, fuelsOf(day));
    replies.push(await (await phone.send(xml)).text());
  }
  const [claimId] = /KPT-[0-9A-Z]{20,}/.exec(replies.at(-1) ?? "") ?? [];
  assert.ok(claimId, replies.join("\n"));
  return JSON.parse(JSON.stringify(requireStatus(await implementer("GET", `/claims/${claimId}`), 200).body));
}

test("files the dry mass of wood from moisture readings on both bases, and charcoal as weighed", async () => {
  const ofReference = await measure(households.reference[0], () => [{ ...wood, moisture: moisture("wet") }, charcoal]);
  // 2.775 · (1 − 0.1875) = 2.2546875 kg, rounded down on each of four days.
  assert.partialDeepStrictEqual(ofReference, {
    testGroup: "reference",
    status: "verified",
    fuels: [
      { fuel: "wood", total: 9.016, unit: "kg", weighed: 11.1, moisture: 0.1877 },
      { fuel: "charcoal", total: 2.4, unit: "kg" },
    ],
  });
  const noWood = { fuel: "wood", start: 0, added: 0, end: 0 };
  const ofIntervention = await measure(households.intervention[0], (day) =>
    day === 3 ? [noWood, charcoal] : [{ ...wood, moisture: moisture("dry") }],
  );
  // 2.775 ÷ 1.1875 = 2.3368… kg, rounded up on each of the three days with wood.
  assert.partialDeepStrictEqual(ofIntervention, {
    testGroup: "intervention",
    status: "verified",
    fuels: [
      { fuel: "wood", total: 7.011, unit: "kg", weighed: 8.325, moisture: 0.1578 },
      { fuel: "charcoal", total: 0.6, unit: "kg" },
    ],
  });
});

test("does not let a visit be sent without the moisture of wood, and asks none of charcoal", async () => {
  const household = households.reference[1];
  await assert.rejects(visit(household, 0, [wood]), /refuses: .*basis required/);
  await assert.rejects(visit(household, 0, [{ ...wood, moisture: { basis: "wet" } }]), /refuses: .*point1 required/);
  await visit(household, 0, [charcoal]);
  const offered = await (await phone.fetch((await phone.form(formId)).downloadUrl)).text();
  assert.doesNotMatch(offered, /Leave empty if you did not measure moisture/);
});

test("refuses a visit without moisture on its own day, from an app that does not check", async () => {
  const filled = await visit(households.reference[1], 0, [{ ...wood, moisture: moisture("wet") }]);
  const xml = filled.replace(/<moisture>.*?<\/moisture>/s, "<moisture/>");
  assert.match(await (await phone.send(xml)).text(), /counts dry mass: the moisture of wood is missing/);
  const instanceId = /<(?:orx:)?instanceID>(.*?)</.exec(xml)?.[1] ?? "";
  const { status, details } = await recordsOf(implementer).findByInstance(instanceId);
  assert.equal(status, "refused");
  assert.partialDeepStrictEqual(details, [
    { path: "fuels.0.moisture", rule: "moisture-given", code: "moisture-missing", values: { fuel: "wood" } },
  ]);
});
