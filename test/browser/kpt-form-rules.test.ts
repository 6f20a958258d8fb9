import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { dayOf } from "../../api/platform/chain/days.ts";
import { parseJsonBody } from "../../api/platform/values/json.ts";
import { kptMeasurementOf } from "../../api/scheme/kpt/measurement.ts";
import { kptClaimRequest } from "../../api/scheme/kpt/schemas.ts";
import type { Campaign } from "../../web/src/implementer/campaigns/records.ts";
import { blankDraft, claimOf, type KptDraft, measurementOf } from "../../web/src/implementer/kpt/kpt-draft.ts";
import { factsOf, visitsOfCampaign } from "../../web/src/implementer/kpt/kpt-facts.ts";
import { stringifyExact } from "../../wire/src/exact.ts";
import { brokenKptRules, logConventions } from "../../wire/src/kpt-rules.ts";
import { driedFuels } from "../../wire/src/kpt-visits.ts";

const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const day = fc.integer({ min: 19_700, max: 19_730 });
const period = fc
  .tuple(day, fc.integer({ min: -1, max: 12 }))
  .map(([start, nights]) => ({ start, end: start + nights }));
const lists = {
  culturalEvents: fc.constantFrom([], ["wedding"]),
  occupationalFactors: fc.constantFrom([], ["harvest"]),
};
const factors = fc.record({ season: fc.constant("dry"), ...lists }, { requiredKeys: [] });
const group = fc.constantFrom("reference" as const, "intervention" as const);
const householdId = "did:ixo:household/1";

const world = fc.record({
  testGroup: group,
  period: fc.option(period, { nil: undefined }),
  grams: fc.array(fc.integer({ min: -1, max: 4000 }), { minLength: 1, maxLength: 14 }),
  drift: fc.constantFrom(0, 0, 1, -5),
  several: fc.boolean(),
  fuelMass: fc.constantFrom(undefined, "as-weighed" as const, "dry" as const),
  basis: fc.constantFrom(undefined, "wet" as const, "dry" as const),
  percent: fc.constantFrom("", "18,75", "100"),
  season: fc.constantFrom("", "dry"),
  nothingSpecial: fc.boolean(),
  cultural: fc.constantFrom<string[]>([], ["wedding"]),
  isDrawn: fc.boolean(),
  window: period.filter(({ start, end }) => end >= start),
  logConvention: fc.constantFrom(...logConventions),
  campaignSeason: fc.constantFrom(null, "dry"),
  campaignFactors: fc.option(factors, { nil: null }),
  referenceClaims: fc.constantFrom(0, 1),
  memberGroup: group,
  place: fc.constantFrom("sampled" as const, "replaced" as const, "reserve" as const),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const kilograms = (grams: number) => String(grams / 1000);

/** Weighings of wood and LPG whose end is now and then more than there was. */
function fuelsOf({ grams, basis, percent }: World, drift: number): KptDraft["fuels"] {
  const days = grams.map((used, day) => ({
    start: kilograms(4000),
    added: kilograms(day % 2 === 0 ? 0 : 500),
    end: kilograms(4000 - used + (day === 0 ? drift * 1000 : 0) + (day % 2 === 0 ? 0 : 500)),
    readings: Array<string>(9).fill(percent),
  }));
  return [
    { fuel: "wood", scaleId: "SCALE-1", basis, days },
    { fuel: "lpg", scaleId: "", days: days.map((day) => ({ ...day, end: day.start })) },
  ];
}

function draftOf(each: World): KptDraft {
  const { testGroup, period: span, grams, drift, season, nothingSpecial, cultural, several } = each;
  const sum = grams.reduce((all, each) => all + each, 0);
  return {
    ...blankDraft,
    testGroup,
    householdId,
    startDate: span === undefined ? "" : dateOf(span.start),
    endDate: span === undefined ? "" : dateOf(span.end),
    logs: grams.map(kilograms),
    total: kilograms(sum + drift),
    fuels: several ? fuelsOf(each, Math.max(drift, 0)) : [],
    collector: "did:key:z6MkCollector",
    times: grams.map(() => "17:30"),
    season,
    nothingSpecial,
    culturalEvents: cultural,
  };
}

/** The campaign in the form of the API's answer. */
function campaignOf({ isDrawn, window, campaignSeason, campaignFactors, referenceClaims, ...rest }: World): Campaign {
  const replacement = {
    dropped: { householdId, position: 0 },
    replacement: { householdId: null, position: 1 },
    reason: "absent",
    transactionHash: "0x",
  };
  const groupOf = (name: string, claims: number) => ({
    frameSize: 9,
    drawn: 3,
    claims,
    sample: rest.memberGroup === name && rest.place === "sampled" ? [householdId] : [],
    replacements: rest.memberGroup === name && rest.place === "replaced" ? [replacement] : [],
  });
  return {
    campaignId: "KPT-1",
    status: isDrawn ? "drawn" : "committed",
    testPeriod: { startDate: dateOf(window.start), endDate: dateOf(window.end) },
    logConvention: rest.logConvention,
    season: campaignSeason,
    externalFactors: campaignFactors,
    emissions: rest.fuelMass === undefined ? null : { fuelMass: rest.fuelMass },
    groups: { reference: groupOf("reference", referenceClaims), intervention: groupOf("intervention", 0) },
  } as unknown as Campaign;
}

function rulesOfForm(each: World) {
  const draft = draftOf(each);
  const campaign = campaignOf(each);
  return brokenKptRules(measurementOf(draft, visitsOfCampaign(campaign)), factsOf(draft, campaign));
}

const bodyOf = (each: World) => claimOf("KPT-1", draftOf(each), visitsOfCampaign(campaignOf(each)));

/** The API's check of the form's request, with the campaign's facts from the chain. */
function rulesOfApi(each: World) {
  const claim = kptClaimRequest.parse(parseJsonBody(Buffer.from(stringifyExact(bodyOf(each)))));
  const { testPeriod } = claim;
  const toDay = (date: string) => dayOf(date) ?? Number.NaN;
  const window = { startDay: each.window.start, endDay: each.window.end };
  return brokenKptRules(kptMeasurementOf(claim, "wood", each.fuelMass), {
    span: testPeriod ? { startDay: toDay(testPeriod.startDate), endDay: toDay(testPeriod.endDate) } : window,
    // Only the API checks today's date and the other claims.
    today: Number.POSITIVE_INFINITY,
    campaign: {
      campaignId: "KPT-1",
      window,
      logConvention: each.logConvention,
      // The form does not know which calorific values are recorded; it takes each as known.
      dryMass: each.fuelMass === "dry" ? { dryNcvOf: driedFuels } : undefined,
      season: each.campaignSeason ?? undefined,
      externalFactors: each.campaignFactors ?? undefined,
      member: { group: each.memberGroup, status: each.place },
      isNearest: false,
      isDrawn: each.isDrawn,
      hasReferenceClaims: each.referenceClaims > 0,
      otherGroup: { hasClaims: false, sharesDay: false },
    },
  });
}

const names = (broken: readonly { rule: string; path: string }[]) =>
  broken.map(({ rule, path }) => `${rule} at ${path}`);

describe("the rules of the KPT form", () => {
  it("match the API's: the same entry breaks the same rules at the same fields", () => {
    fc.assert(
      fc.property(world, (each) => assert.deepEqual(names(rulesOfForm(each)), names(rulesOfApi(each)))),
      { numRuns: 3_000 },
    );
  });
});
