import type { CampaignResponse } from "../../api/scheme/campaigns/schemas.ts";
import { accountOf, type Caller, type RegistryTest, registerHouseholds, requireStatus } from "./registry.ts";
import { drawByTwoParties, type SecondParty } from "./second-party.ts";

export { requireStatus } from "./registry.ts";

export const implementerDid = "did:ixo:implementer/1";
export const otherImplementerDid = "did:ixo:implementer/2";
export const planId = "PLAN-KPT";

/** For tests: two implementers, and a plan of the first. */
export async function registerPlans({ admin }: Pick<RegistryTest, "admin">): Promise<void> {
  for (const [i, did] of [implementerDid, otherImplementerDid].entries()) {
    await admin("POST", "/implementers", { did, account: accountOf(500 + i), name: `Implementer ${i + 1}` });
  }
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  await admin("POST", "/monitoring-plans", { planId, implementerDid, period });
}

/** For tests: register a plan of the first implementer, whose only region has its id, so that the frames of one campaign can be whole. */
export async function registerOwnPlan({ admin }: Pick<RegistryTest, "admin">, campaignId: string): Promise<string> {
  const own = `PLAN-OF-${campaignId}`;
  const period = { startDate: "2023-01-01", endDate: "2024-12-31" };
  const body = { planId: own, implementerDid, period, regions: [own] };
  requireStatus(await admin("POST", "/monitoring-plans", body), 201);
  return own;
}

/** DIDs of some households that no other test uses. */
export function householdDids(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `did:ixo:household/${name}-${i}`);
}

let made = 0;

/** A campaign's body, with households that no other one has. */
export function exampleCampaign(changes: Record<string, unknown> = {}, size = 12) {
  made += 1;
  return {
    campaignId: `KPT-${made}`,
    planId,
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 },
    groups: {
      reference: { frame: householdDids(`${made}-r`, size) },
      intervention: { frame: householdDids(`${made}-i`, size) },
    },
    sampleSize: 4,
    season: "dry",
    ...changes,
  };
}

type ExampleCampaign = ReturnType<typeof exampleCampaign>;

/** Registers the households of a campaign's frames; returns the campaign's body. */
export async function registerFrames(call: Caller, body: ExampleCampaign, region?: string): Promise<ExampleCampaign> {
  const { reference, intervention } = body.groups;
  await registerHouseholds(call, [...reference.frame, ...intervention.frame], region);
  return body;
}

/**
 * Commits and draws a campaign: the one given, whose households are registered, or one of new households.
 * @param party absent: this service draws alone, so that no certificate can be made from the result
 */
export async function drawnCampaign(
  call: Caller,
  given?: ExampleCampaign,
  party?: SecondParty,
): Promise<CampaignResponse> {
  const body = given ?? (await registerFrames(call, exampleCampaign()));
  requireStatus(await call("POST", "/campaigns", body), 201);
  if (party !== undefined) return drawByTwoParties(party, call, body.campaignId);
  const drawn = requireStatus(await call("POST", `/campaigns/${encodeURIComponent(body.campaignId)}/draw`), 200);
  return drawn.body as CampaignResponse;
}
