import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { brokenKptRules as rulesOfApi } from "../../api/scheme/kpt/rules.ts";
import { type CampaignFacts, brokenKptRules as rulesOfForm } from "../../web/src/implementer/kpt/kpt-rules.ts";

const dayOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const day = fc.integer({ min: 19_700, max: 19_730 });
const period = fc
  .tuple(day, fc.integer({ min: -1, max: 12 }))
  .map(([start, nights]) => ({ start, end: start + nights }));
const factors = fc.option(
  fc.record(
    {
      season: fc.constant("dry"),
      culturalEvents: fc.constantFrom<string[]>([], ["wedding"]),
      occupationalFactors: fc.constantFrom<string[]>([], ["harvest"]),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const group = fc.constantFrom("reference" as const, "intervention" as const);
const place = fc.constantFrom("sampled" as const, "replaced" as const, "nowhere" as const);

const world = fc.record({
  testGroup: group,
  period: fc.option(period, { nil: undefined }),
  durationDays: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined }),
  dailyLogs: fc.array(fc.bigInt({ min: -1n, max: 4000n }), { maxLength: 14 }),
  drift: fc.constantFrom(0n, 0n, 1n, -5n),
  factors,
  campaign: fc.option(
    fc.record({
      isDrawn: fc.boolean(),
      window: period.filter(({ start, end }) => end >= start),
      season: fc.constantFrom(null, "dry"),
      factors,
      hasReferenceClaims: fc.boolean(),
      memberGroup: group,
      place,
    }),
    { nil: null },
  ),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const householdId = "did:ixo:household/1";

function formOf({ campaign, period: span, dailyLogs, drift, ...rest }: World) {
  const testPeriod = span && {
    startDate: dayOf(span.start),
    endDate: dayOf(span.end),
    durationDays: rest.durationDays,
  };
  const totalGrams = dailyLogs.reduce((sum, log) => sum + log, 0n) + drift;
  const entry = { householdId, testGroup: rest.testGroup, testPeriod, totalGrams, dailyLogs, ...rest.factors };
  if (campaign === null) return rulesOfForm(entry, null);
  const lists = (wanted: string) => ({
    reference: [] as string[],
    intervention: [] as string[],
    ...(campaign.place === wanted ? { [campaign.memberGroup]: [householdId] } : {}),
  });
  const facts: CampaignFacts = {
    campaignId: "KPT-1",
    isDrawn: campaign.isDrawn,
    testPeriod: { startDate: dayOf(campaign.window.start), endDate: dayOf(campaign.window.end) },
    season: campaign.season,
    externalFactors: campaign.factors ?? null,
    samples: lists("sampled"),
    replaced: lists("replaced"),
    hasReferenceClaims: campaign.hasReferenceClaims,
  };
  return rulesOfForm(entry, facts);
}

function apiOf({ campaign, period: own, durationDays, dailyLogs, drift, testGroup, factors: named }: World) {
  const total = dailyLogs.reduce((sum, log) => sum + log, 0n) + drift;
  const claim = {
    type: "KPTClaim" as const,
    householdId,
    testGroup,
    fuelMeasurements: { total, dailyLogs },
    ...(named === undefined ? {} : { externalFactors: named }),
  };
  const span = own ?? campaign?.window;
  return rulesOfApi(claim, {
    span: span === undefined ? null : { startDay: span.start, endDay: span.end, durationDays: own && durationDays },
    // Which day it is, the form leaves to the API.
    today: Number.POSITIVE_INFINITY,
    campaign: campaign && {
      campaignId: "KPT-1",
      window: { startDay: campaign.window.start, endDay: campaign.window.end },
      season: campaign.season ?? undefined,
      externalFactors: campaign.factors,
      member: campaign.place === "nowhere" ? null : { group: campaign.memberGroup, status: campaign.place },
      isNearest: false,
      isDrawn: campaign.isDrawn,
      hasReferenceClaims: campaign.hasReferenceClaims,
      // What other claims have to do with it, the form leaves to the API.
      otherGroup: { hasClaims: false, sharesDay: false },
    },
  });
}

const names = (broken: readonly { rule: string; path?: string | undefined }[]) =>
  broken.map(({ rule, path }) => `${rule} at ${path}`).sort();

describe("the rules of the KPT form", () => {
  it("are the API's own: the same entry breaks the same rules at the same fields", () => {
    fc.assert(
      fc.property(world, (each) => {
        const expected = apiOf(each).filter(
          // Without a campaign the form cannot look for the household's, so it says nothing of the draw.
          ({ rule }) => each.campaign !== null || rule !== "random-selection-verified",
        );
        assert.deepEqual(names(formOf(each)), names(expected));
      }),
      { numRuns: 5_000 },
    );
  });
});
