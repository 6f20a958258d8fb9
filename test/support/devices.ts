import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { drawnCampaign, type exampleCampaign, implementerDid } from "./campaigns.ts";
import { type Caller, type RegistryTest, requireStatus } from "./registry.ts";
import type { SecondParty } from "./second-party.ts";

/** A plan of the first implementer whose devices are registered. From the first one on, all its campaigns need devices. */
export const countedPlanId = "PLAN-COUNTED";

/** For tests: register the plan whose devices are counted. */
export async function registerCountedPlan({ admin }: Pick<RegistryTest, "admin">): Promise<void> {
  const period = { startDate: "2023-01-01", endDate: "2024-12-31" };
  requireStatus(await admin("POST", "/monitoring-plans", { planId: countedPlanId, implementerDid, period }), 201);
}

let serials = 0;

/** For tests: register a device in each household, which must be registered. */
export async function registerDevices(
  call: Caller,
  {
    planId = countedPlanId,
    households,
    installedOn = "2024-01-01",
  }: { planId?: string; households: readonly string[]; installedOn?: string },
): Promise<void> {
  const made = households.map((householdDid) => {
    serials += 1;
    return call("POST", "/devices", {
      serial: `DEVICE-${serials}`,
      model: "Jiko 2",
      planId,
      householdDid,
      installedOn,
    });
  });
  for (const answer of await Promise.all(made)) requireStatus(answer, 201);
}

/** For tests: record each drawn device of a campaign's usage survey as in use; the last as missing if `lastIsMissing`. */
export async function surveyDevices(
  call: Caller,
  campaignId: string,
  { lastIsMissing = false, date = "2024-02-03" } = {},
): Promise<void> {
  const path = `/campaigns/${encodeURIComponent(campaignId)}/usage-survey`;
  const { body } = requireStatus(await call("GET", `${path}/positions?limit=100`), 200);
  const { items } = body as { items: { position: number; householdId: string }[] };
  for (const [i, { position, householdId }] of items.entries()) {
    const evidence = [{ uri: "https://photos.example/1.jpg" }];
    const seen = { deviceSeen: true, inUse: true, date, surveyorDid: "did:key:z6MkSurveyor", evidence };
    const isMissing = lastIsMissing && i === items.length - 1;
    const record = isMissing ? { position, reason: "absent" } : { position, householdId, ...seen };
    requireStatus(await call("POST", `${path}/${isMissing ? "missing" : "records"}`, record), 201);
  }
}

/** For tests: register a device in each intervention household, commit and draw the campaign by two parties, and survey all devices as in use. */
export async function drawnWithDevices(
  call: Caller,
  body: ReturnType<typeof exampleCampaign>,
  party: SecondParty,
): Promise<CampaignResponse> {
  await registerDevices(call, { planId: body.planId, households: body.groups.intervention.frame });
  const campaign = await drawnCampaign(call, body, party);
  await surveyDevices(call, campaign.campaignId, { date: body.testPeriod.startDate });
  return campaign;
}
