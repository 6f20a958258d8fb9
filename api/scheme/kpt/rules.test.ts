import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenKptRules, type KptCampaign, type KptFacts } from "../../../wire/src/kpt-rules.ts";
import { dryMassOf, type FuelMass, kptFuels } from "../../../wire/src/kpt-visits.ts";
import { dayOf } from "../../platform/chain/days.ts";
import { AppError } from "../../platform/errors.ts";
import { parseJsonBody } from "../../platform/values/json.ts";
import { fuelIds } from "../emissions/index.ts";
import { kptMeasurementOf } from "./measurement.ts";
import { asSent, kptClaimRequest } from "./schemas.ts";

const publishedText = `{"type":"KPTClaim","householdId":"did:ixo:household/123","testGroup":"intervention",
  "testPeriod":{"startDate":"2024-02-01","endDate":"2024-02-04","durationDays":3},
  "fuelMeasurements":{"total":11.9,"dailyLogs":[3.2,2.8,3.0,2.9]},
  "externalFactors":{"season":"dry","culturalEvents":["none"],"occupationalFactors":["typical_workweek"]}}`;

const published = () => JSON.parse(publishedText);
const read = (body: unknown) => kptClaimRequest.parse(parseJsonBody(Buffer.from(JSON.stringify(body))));
const day = (date: string) => dayOf(date) ?? Number.NaN;

function campaign(changes: Partial<KptCampaign> = {}): KptCampaign {
  return {
    campaignId: "KPT-2024",
    window: { startDay: day("2024-01-15"), endDay: day("2024-03-15") },
    logConvention: "calendar-days",
    season: undefined,
    externalFactors: undefined,
    member: { group: "intervention", status: "sampled" },
    isNearest: false,
    isDrawn: true,
    hasReferenceClaims: true,
    otherGroup: { hasClaims: true, sharesDay: true },
    ...changes,
  };
}

/** The rules that a changed published example breaks, with the fields that they name. */
function broken(
  change: (body: ReturnType<typeof published>) => void = () => undefined,
  facts: Partial<KptFacts> = {},
  mass?: FuelMass,
) {
  const body = published();
  change(body);
  const claim = read(body);
  const { testPeriod: period } = claim;
  const span = period && {
    startDay: day(period.startDate),
    endDay: day(period.endDate),
    durationDays: period.durationDays,
  };
  const details = brokenKptRules(kptMeasurementOf(claim, "wood", mass), {
    span: span ?? null,
    campaign: campaign(),
    today: day("2024-02-04"),
    ...facts,
  });
  return details.map(({ rule, path }) => `${rule} ${path}`);
}

const period = (startDate: string, endDate: string, durationDays?: number) => ({ startDate, endDate, durationDays });
const logs = (count: number) => ({ total: count, dailyLogs: Array.from({ length: count }, () => 1) });

test("a campaign that fixes the days takes claims with exactly that number of logs", () => {
  assert.deepEqual(broken(undefined, { campaign: campaign({ days: 4 }) }), []);
  for (const days of [3, 5]) {
    assert.deepEqual(broken(undefined, { campaign: campaign({ days }) }), ["daily-span fuelMeasurements.dailyLogs"]);
    assert.deepEqual(
      broken(undefined, { campaign: campaign({ days, isNearest: true, member: null }) }).filter((each) =>
        each.startsWith("daily-span"),
      ),
      [],
      "another campaign's number does not matter",
    );
  }
  const withVisits = broken(
    (body) => {
      body.visits = [0, 1, 2, 3].map((at) => ({
        day: at,
        at: `2024-02-0${at + 1}T10:00:00Z`,
        collector: "did:key:z6MkCollector",
        fuels: [{ fuel: "wood", start: 5, added: 0, end: 2 }],
      }));
      delete body.fuelMeasurements;
    },
    { campaign: campaign({ days: 3 }) },
  );
  assert.deepEqual(withVisits, ["daily-span visits"]);
});

test("the published example breaks no rule", () => {
  assert.deepEqual(broken(), []);
});

test("a period whose last day has not come cannot have been measured", () => {
  assert.deepEqual(broken(undefined, { today: day("2024-02-03") }), ["days-have-come testPeriod"]);
  const turned = (body: ReturnType<typeof published>) => {
    body.testPeriod = period("2024-02-04", "2024-02-01");
  };
  assert.ok(broken(turned, { today: day("2024-02-03") }).includes("days-have-come testPeriod"));
});

test("a claim that breaks every rule gets all of them", () => {
  const outside = (body: ReturnType<typeof published>) => {
    body.testPeriod = period("2023-02-01", "2023-02-02");
    body.fuelMeasurements = { total: 1, dailyLogs: [-1] };
    delete body.externalFactors;
  };
  const facts = campaign({
    member: null,
    hasReferenceClaims: false,
    otherGroup: { hasClaims: true, sharesDay: false },
  });
  assert.deepEqual(broken(outside, { campaign: facts }), [
    "daily-span fuelMeasurements.dailyLogs",
    "daily-span testPeriod",
    "total-equals-sum fuelMeasurements.total",
    "positive-values fuelMeasurements.dailyLogs.0",
    "factors-documented externalFactors.season",
    "factors-documented externalFactors",
    "random-selection-verified householdId",
    "control-group-present testGroup",
    "timing-aligned testPeriod",
    "timing-aligned testPeriod",
  ]);
});

test("three logs over three days span enough; two logs or two days do not", () => {
  const change = (days: ReturnType<typeof period>, count: number) =>
    broken((body) => {
      body.testPeriod = days;
      body.fuelMeasurements = logs(count);
    });
  assert.deepEqual(change(period("2024-02-01", "2024-02-03"), 3), []);
  assert.deepEqual(change(period("2024-02-01", "2024-02-03"), 2), ["daily-span fuelMeasurements.dailyLogs"]);
  assert.deepEqual(change(period("2024-02-01", "2024-02-02"), 3), [
    "daily-span testPeriod",
    "daily-span fuelMeasurements.dailyLogs",
  ]);
  assert.deepEqual(change(period("2024-02-04", "2024-02-01"), 3), ["daily-span testPeriod"]);
});

test("durationDays is the difference of the dates or one more, and at least three", () => {
  const change = (days: ReturnType<typeof period>, count = 4) =>
    broken((body) => {
      body.testPeriod = days;
      body.fuelMeasurements = logs(count);
    });
  assert.deepEqual(change(period("2024-02-01", "2024-02-04", 3)), []);
  assert.deepEqual(change(period("2024-02-01", "2024-02-04", 4)), []);
  assert.deepEqual(change(period("2024-02-01", "2024-02-04", 5)), ["daily-span testPeriod.durationDays"]);
  assert.deepEqual(change(period("2024-02-01", "2024-02-03", 3), 3), []);
  assert.deepEqual(change(period("2024-02-01", "2024-02-03", 2), 3), ["daily-span testPeriod.durationDays"]);
});

test("a campaign counts its logs one way: one per calendar day, or one per interval", () => {
  const wrong = ["daily-span fuelMeasurements.dailyLogs"];
  const change = (count: number, facts: Partial<KptCampaign> = {}) =>
    broken(
      (body) => {
        body.fuelMeasurements = logs(count);
      },
      { campaign: campaign(facts) },
    );
  assert.deepEqual(
    [3, 4, 5].map((count) => change(count)),
    [wrong, [], wrong],
  );
  const perInterval = { logConvention: "interval" } as const;
  assert.deepEqual(
    [3, 4, 5].map((count) => change(count, perInterval)),
    [[], wrong, wrong],
  );
  assert.deepEqual(
    [3, 4, 5].map((count) => change(count, { isNearest: true }).includes(wrong[0] as string)),
    [false, false, true],
  );
});

test("a claim without a campaign has as many logs as days, or one fewer", () => {
  const change = (count: number) =>
    broken(
      (body) => {
        body.fuelMeasurements = logs(count);
      },
      { campaign: null },
    );
  const unselected = "random-selection-verified householdId";
  assert.deepEqual(change(3), [unselected]);
  assert.deepEqual(change(4), [unselected]);
  assert.deepEqual(change(5), ["daily-span fuelMeasurements.dailyLogs", unselected]);
});

test("the total is compared exactly: 0.1 + 0.2 is 0.3, and a gram more is not", () => {
  const change = (total: number) =>
    broken((body) => {
      body.fuelMeasurements = { total, dailyLogs: [0.1, 0.2, 0.1, 0.2] };
    });
  assert.deepEqual(change(0.6), []);
  assert.deepEqual(change(0.601), ["total-equals-sum fuelMeasurements.total"]);
});

test("a log, a total or a session's fuel of 0 or less breaks positive-values", () => {
  const measure = (total: number, dailyLogs: number[]) =>
    broken((body) => {
      body.fuelMeasurements = { total, dailyLogs };
    });
  assert.deepEqual(measure(3, [1, 1, 1, 0]), ["positive-values fuelMeasurements.dailyLogs.3"]);
  assert.deepEqual(measure(0, [1, 1, 1, -3]), [
    "positive-values fuelMeasurements.total",
    "positive-values fuelMeasurements.dailyLogs.3",
  ]);
  const sessions = (fuelKg: number) =>
    broken((body) => {
      body.cookingSessions = [{ meal: "lunch" }, { fuelKg }];
    });
  assert.deepEqual(sessions(0.001), []);
  assert.deepEqual(sessions(0), ["positive-values cookingSessions.1.fuelKg"]);
});

test("season and factors may be documented by claim or campaign", () => {
  const factors = { culturalEvents: [], occupationalFactors: ["harvest"] };
  const without = (body: ReturnType<typeof published>) => {
    delete body.externalFactors;
  };
  const seasonOnly = (body: ReturnType<typeof published>) => {
    body.externalFactors = { season: "dry" };
  };
  const both = campaign({ season: "dry", externalFactors: factors });
  assert.deepEqual(broken(without, { campaign: both }), []);
  assert.deepEqual(broken(seasonOnly, { campaign: campaign({ externalFactors: factors }) }), []);
  assert.deepEqual(broken(without, { campaign: campaign({ externalFactors: { ...factors, season: "wet" } }) }), []);
  assert.deepEqual(broken(seasonOnly), ["factors-documented externalFactors"]);
  assert.deepEqual(broken(without, { campaign: campaign({ externalFactors: factors }) }), [
    "factors-documented externalFactors.season",
  ]);
});

test("an empty list of factors says that there were none; no list says nothing", () => {
  const stated = (externalFactors: object) => broken((body) => Object.assign(body, { externalFactors }));
  assert.deepEqual(stated({ season: "dry", culturalEvents: [] }), []);
  assert.deepEqual(stated({ season: "dry", occupationalFactors: [] }), []);
  assert.deepEqual(stated({ culturalEvents: [] }), ["factors-documented externalFactors.season"]);
  assert.deepEqual(stated({}), ["factors-documented externalFactors.season", "factors-documented externalFactors"]);
});

test("only a household of the drawn sample in its own group is selected at random", () => {
  const selection = ["random-selection-verified householdId"];
  const as = (changes: Partial<KptCampaign>) => broken(undefined, { campaign: campaign(changes) });
  assert.deepEqual(as({ member: { group: "intervention", status: "sampled" } }), []);
  assert.deepEqual(as({ member: null }), selection);
  assert.deepEqual(as({ isDrawn: false }), selection);
  assert.deepEqual(as({ member: { group: "reference", status: "sampled" } }), selection);
  assert.deepEqual(as({ member: { group: "intervention", status: "replaced" } }), selection);
  assert.deepEqual(as({ member: { group: "intervention", status: "reserve" } }), selection);
  assert.deepEqual(as({ isNearest: true, member: null }), selection);
  assert.deepEqual(broken(undefined, { campaign: null }), selection);
});

test("an intervention claim needs reference claims; a reference claim is the control data itself", () => {
  const none = campaign({ hasReferenceClaims: false, otherGroup: { hasClaims: false, sharesDay: false } });
  assert.deepEqual(broken(undefined, { campaign: none }), ["control-group-present testGroup"]);
  const asReference = (body: ReturnType<typeof published>) => {
    body.testGroup = "reference";
  };
  const reference = { ...none, member: { group: "reference", status: "sampled" } } as const;
  assert.deepEqual(broken(asReference, { campaign: reference }), []);
});

test("the period is within the campaign's and shares a day with the other group's, once it has any", () => {
  const at = (changes: Partial<KptCampaign>) => broken(undefined, { campaign: campaign(changes) });
  const window = (from: string, to: string) => ({ startDay: day(from), endDay: day(to) });
  assert.deepEqual(at({ window: window("2024-02-01", "2024-02-04") }), []);
  assert.deepEqual(at({ window: window("2024-02-02", "2024-02-05") }), ["timing-aligned testPeriod"]);
  assert.deepEqual(at({ window: window("2024-01-01", "2024-02-03") }), ["timing-aligned testPeriod"]);
  assert.deepEqual(at({ otherGroup: { hasClaims: false, sharesDay: false } }), []);
  assert.deepEqual(at({ otherGroup: { hasClaims: true, sharesDay: false } }), ["timing-aligned testPeriod"]);
});

test("a claim is written the same however its fields are ordered, with exact kilograms", () => {
  const { fuelMeasurements, ...rest } = published();
  assert.equal(asSent(read({ fuelMeasurements, ...rest })), asSent(read(published())));
  assert.match(asSent(read(published())), /"fuelMeasurements":\{"dailyLogs":\[3.2,2.8,3,2.9\],"total":11.9\}/);
});

test("measurements with more than 3 decimals, evidence that is not a URI and unknown fields are malformed", () => {
  const refused = (change: (body: ReturnType<typeof published>) => void) => {
    const body = published();
    change(body);
    const result = kptClaimRequest.safeParse(parseJsonBody(Buffer.from(JSON.stringify(body))));
    return result.error?.issues.map(({ path }) => path.join(".")) ?? [];
  };
  assert.deepEqual(
    refused((body) => {
      body.fuelMeasurements.total = 11.9001;
    }),
    ["fuelMeasurements.total"],
  );
  assert.deepEqual(
    refused((body) => {
      body.fuelMeasurements.dailyLogs[1] = "2.8";
    }),
    ["fuelMeasurements.dailyLogs.1"],
  );
  assert.deepEqual(
    refused((body) => {
      body.evidence = ["a photo", { type: "photo" }, "ipfs://nothing"];
    }),
    ["evidence.0", "evidence.1", "evidence.2"],
  );
  assert.deepEqual(
    refused((body) => {
      body.testPeriod.startDate = "2024-02-30";
    }),
    ["testPeriod.startDate"],
  );
  assert.deepEqual(
    refused((body) => {
      body.surprise = 1;
    }),
    [""],
  );
  assert.throws(() => parseJsonBody(Buffer.from('{"fuelMeasurements":{"total":NaN}}')), AppError);
});

test("evidence by URI, by CID, as a data URI or as an object is taken; a bare CID becomes a link", () => {
  const cid = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
  const items = [cid, `ipfs://${cid}`, "https://example.org/a.jpg", "data:text/plain,hello", { type: "photo", cid }];
  const { evidence } = read({ ...published(), evidence: items });
  assert.deepEqual(evidence, [`ipfs://${cid}`, ...items.slice(1)]);
});

/** A visit of the published example's day; `fuels` by name as [start, added, end]. */
function visitOn(index: number, fuels: Record<string, [number, number, number]>, changes: object = {}) {
  const weighings = Object.entries(fuels).map(([fuel, [start, added, end]]) => ({ fuel, start, added, end }));
  return {
    day: index,
    at: `2024-02-0${index + 1}T17:00:00Z`,
    collector: "did:key:z6MkCollector",
    fuels: weighings,
    ...changes,
  };
}
const stacked = () => [0, 1, 2, 3].map((index) => visitOn(index, { wood: [10, 0, 7.2], lpg: [13.5, 0, 13.25] }));
const withVisits = (visits: unknown) => (body: ReturnType<typeof published>) => {
  delete body.fuelMeasurements;
  body.visits = visits;
};

test("visits give total and daily logs of the campaign's fuel, and keep the others", () => {
  assert.deepEqual(broken(withVisits(stacked())), []);
  const body = published();
  withVisits(stacked())(body);
  const claim = read(body);
  assert.deepEqual(kptMeasurementOf(claim, "wood").fuelMeasurements, {
    total: 11_200n,
    dailyLogs: [2_800n, 2_800n, 2_800n, 2_800n],
  });
  assert.deepEqual(kptMeasurementOf(claim, "lpg").fuelMeasurements.total, 1_000n);
  const sent = asSent(claim);
  assert.match(sent, /"fuels":\[\{"added":0,"end":7.2,"fuel":"wood","start":10\},/);
  assert.doesNotMatch(sent, /fuelMeasurements/);
});

test("a household may burn none of a fuel on a day, but something in the test", () => {
  const visits = [
    visitOn(0, { wood: [10, 0, 10] }),
    visitOn(1, { lpg: [1, 0, 0.9] }),
    visitOn(2, { wood: [10, 0, 10] }),
    visitOn(3, { wood: [10, 0, 10] }),
  ];
  assert.deepEqual(broken(withVisits(visits)), []);
  visits[1] = visitOn(1, { lpg: [1, 0, 1] });
  assert.deepEqual(broken(withVisits(visits)), ["positive-values visits"]);
});

const readings = (percent: number) => [1, 2, 3].map(() => [percent, percent, percent]);
const moist = (basis: "wet" | "dry", percent: number) => ({ moisture: { basis, readings: readings(percent) } });
/** Four days with 2.8 kg of moist wood each. */
const moistVisits = (moisture: object) =>
  [0, 1, 2, 3].map((index) => ({
    ...visitOn(index, {}),
    fuels: [{ fuel: "wood", start: 10, added: 0, end: 7.2, ...moisture }],
  }));
const dryCampaign = (dryNcvOf: ("wood" | "dung")[] = ["wood"]) => ({ campaign: campaign({ dryMass: { dryNcvOf } }) });

test("a campaign of dry mass asks for visits, for the moisture of solid biomass, and for its dry calorific value", () => {
  assert.deepEqual(broken(withVisits(moistVisits(moist("wet", 20))), dryCampaign()), []);
  assert.deepEqual(broken(undefined, dryCampaign()), ["visits-given visits"]);
  const [first, ...others] = moistVisits(moist("wet", 20));
  const [without] = moistVisits({});
  assert.deepEqual(broken(withVisits([without, ...others]), dryCampaign()), [
    "moisture-given visits.0.fuels.0.moisture",
  ]);
  const stove = (fuels: object[]) => [{ ...first, fuels }, ...others];
  const wood = { fuel: "wood", start: 10, added: 0, end: 7.2, ...moist("dry", 25) };
  const none = { fuel: "dung", start: 0, added: 0, end: 0 };
  const charcoal = { fuel: "charcoal", start: 2, added: 0, end: 1 };
  assert.deepEqual(broken(withVisits(stove([wood, none, charcoal])), dryCampaign(["wood", "dung"])), []);
  assert.deepEqual(broken(withVisits(stove([wood, none])), dryCampaign()), ["dry-ncv-committed visits.0.fuels.1.fuel"]);
  assert.deepEqual(
    broken(withVisits(moistVisits({})), { campaign: { ...dryCampaign().campaign, isNearest: true, member: null } }),
    ["random-selection-verified householdId"],
    "the nearest campaign only serves to check the claim",
  );
});

test("dry mass is exact until it is rounded to grams: down in the reference group, up in the intervention group", () => {
  const weighing = (used: bigint, basis: "wet" | "dry", percents: number[][]) => ({
    fuel: "wood" as const,
    start: used,
    added: 0n,
    end: 0n,
    moisture: { basis, readings: percents.map((piece) => piece.map((each) => BigInt(Math.round(each * 100)))) },
  });
  const cases: [used: bigint, basis: "wet" | "dry", percents: number[][], down: bigint, up: bigint][] = [
    [3000n, "wet", readings(20), 2400n, 2400n],
    [3000n, "dry", readings(25), 2400n, 2400n],
    // (1 − 0.1875 ÷ 1.1875) · 5900 = 4968.42…
    [
      5900n,
      "dry",
      [
        [18.5, 19, 18],
        [20, 19.25, 19],
        [18, 18, 19],
      ],
      4968n,
      4969n,
    ],
    // The mean of 10 % and eight times 10.01 % is 10.00888… %: 1000 · 0.8999111…
    [
      1000n,
      "wet",
      [
        [10, 10.01, 10.01],
        [10.01, 10.01, 10.01],
        [10.01, 10.01, 10.01],
      ],
      899n,
      900n,
    ],
    [0n, "wet", readings(20), 0n, 0n],
  ];
  for (const [used, basis, percents, down, up] of cases) {
    const one = weighing(used, basis, percents);
    assert.deepEqual([dryMassOf(one, "reference"), dryMassOf(one, "intervention")], [down, up], `${used} ${basis}`);
  }
  assert.equal(dryMassOf({ ...weighing(1000n, "wet", readings(8)), fuel: "charcoal" }, "reference"), 1000n);
});

test("total and daily logs next to visits are the dry masses that follow from them", () => {
  const stating =
    (fuelMeasurements: object): Parameters<typeof broken>[0] =>
    (body) =>
      Object.assign(body, { fuelMeasurements, visits: moistVisits(moist("wet", 20)) });
  const brokenBy = (fuelMeasurements: object) => broken(stating(fuelMeasurements), dryCampaign(), "dry");
  assert.deepEqual(brokenBy({ total: 8.96, dailyLogs: [2.24, 2.24, 2.24, 2.24] }), []);
  assert.deepEqual(brokenBy({ total: 11.2, dailyLogs: [2.8, 2.24, 2.24, 2.24] }), [
    "derived-from-visits fuelMeasurements.dailyLogs.0",
    "derived-from-visits fuelMeasurements.total",
  ]);
  assert.deepEqual(brokenBy({ total: 8.96, dailyLogs: [4.48, 2.24, 2.24] }), [
    "derived-from-visits fuelMeasurements.dailyLogs",
  ]);
});

test("names every rule that visits break", () => {
  const [first, second, third, fourth] = stacked() as [object, object, object, object];
  const wet = (reading: number) => ({
    basis: "wet",
    readings: [
      [reading, 20, 20],
      [20, 20, 20],
      [20, 20, 20],
    ],
  });
  const readings = [
    { ...first, fuels: [{ fuel: "wood", start: 1, added: 1, end: 2.001 }] },
    { ...second, fuels: [{ fuel: "wood", start: 9, added: 0, end: 7, moisture: wet(100) }] },
    { ...third, day: 1 },
    { ...fourth, day: 4, fuels: ["wood", "wood"].map((fuel) => ({ fuel, start: 3, added: 0, end: 1 })) },
  ];
  assert.deepEqual(broken(withVisits(readings)), [
    "weighing-balance visits.0.fuels.0.end",
    "moisture-range visits.1.fuels.0.moisture",
    "visit-days visits.2.day",
    "visit-days visits.3.day",
    "fuel-once visits.3.fuels.1.fuel",
  ]);
  assert.deepEqual(
    broken(withVisits(stacked().slice(0, 3)), { campaign: campaign({ logConvention: "calendar-days" }) }),
    ["daily-span visits"],
  );
});

test("a claim has one form of measurement, and the list of fuels is the emissions library's", () => {
  const both = (body: ReturnType<typeof published>) => Object.assign(body, { visits: stacked() });
  assert.deepEqual(broken(both), ["measured-once fuelMeasurements"]);
  assert.deepEqual(broken(both, { campaign: null }).slice(0, 1), ["measured-once fuelMeasurements"]);
  const neither = published();
  delete neither.fuelMeasurements;
  assert.throws(() => read(neither), /Either fuelMeasurements or visits/);
  assert.deepEqual([...kptFuels].sort(), [...fuelIds].sort());
});
