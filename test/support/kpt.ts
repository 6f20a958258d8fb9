import { openApp } from "../../api/app.ts";
import type { Deps } from "../../api/compose.ts";
import { createLog } from "../../api/platform/log.ts";
import type { CoreOptions } from "../../api/platform/server/core.ts";
import type { TestWorld } from "./chain.ts";
import { testAdminKey } from "./core.ts";
import {
  type Answer,
  accountOf,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
} from "./registry.ts";

export const implementerDid = "did:ixo:implementer/1";
export const kptPlan = "PLAN-KPT";

/** The example that the documentation publishes, for any household. */
export function exampleClaim(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    type: "KPTClaim",
    householdId: "did:ixo:household/123",
    testGroup: "intervention",
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 },
    fuelMeasurements: { total: 11.9, dailyLogs: [3.2, 2.8, 3.0, 2.9] },
    externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical_workweek"] },
    ...changes,
  };
}

/** An implementer with a monitoring plan, as campaigns need them. */
export async function registerPlan(admin: Caller): Promise<void> {
  await made(
    admin("POST", "/implementers", { did: implementerDid, account: accountOf(101), name: "Clean Cooking Ltd" }),
  );
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  await made(admin("POST", "/monitoring-plans", { planId: kptPlan, implementerDid, period }));
}

export type TestCampaign = { campaignId: string; reference: string[]; intervention: string[] };

/** Register both frames, commit a campaign whose sample they are, and draw it; `draw: false` leaves it committed. */
export async function holdCampaign(
  admin: Caller,
  { campaignId, reference, intervention }: TestCampaign,
  { draw = true, ...more }: Record<string, unknown> = {},
): Promise<void> {
  await registerHouseholds(admin, [...reference, ...intervention]);
  const groups = { reference: { frame: reference }, intervention: { frame: intervention } };
  const testPeriod = { startDate: "2024-01-15", endDate: "2024-03-15" };
  const sampleSize = Math.min(reference.length, intervention.length);
  await made(admin("POST", "/campaigns", { campaignId, planId: kptPlan, testPeriod, groups, sampleSize, ...more }));
  if (draw) await made(admin("POST", `/campaigns/${campaignId}/draw`, {}));
}

/** An API over a real chain, with the campaign `KPT-1` of the two households of the published example. */
export async function openKptTest(env: Record<string, string> = {}): Promise<RegistryTest> {
  const test = await openRegistryTest(env);
  await registerPlan(test.admin);
  await holdCampaign(test.admin, exampleCampaign());
  return test;
}

export type KptServer = { deps: Deps; call: Caller; close: () => Promise<void> };

/** One life of the API over a world's chain and database, called as admin. */
export async function startKptServer(
  world: TestWorld,
  env: Record<string, string> = {},
  options: CoreOptions = {},
): Promise<KptServer> {
  const config = world.config({ ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000", ...env });
  const { app, deps, close } = await openApp(config, createLog(config), options);
  const call: Caller = async (method, path, body, headers = {}) => {
    const init = { method, headers: { authorization: `Bearer ${testAdminKey}`, ...headers } };
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await app.request(`/v1${path}`, payload === undefined ? init : { ...init, body: payload });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  return { deps, call, close };
}

export function exampleCampaign(): TestCampaign {
  return { campaignId: "KPT-1", reference: ["did:ixo:household/124"], intervention: ["did:ixo:household/123"] };
}

/** The claim of the reference household, without which no other one is taken. */
export function referenceClaim(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return exampleClaim({ householdId: "did:ixo:household/124", testGroup: "reference", ...changes });
}

/** The answer's body, if the request made or changed something. */
export async function made(answer: Promise<Answer>): Promise<Record<string, unknown>> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as Record<string, unknown>;
}
