import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { brokenKptRules, type KptFacts } from "../../../../wire/src/kpt-rules.ts";
import {
  blankDraft,
  blankFuels,
  blankLogs,
  claimOf,
  gramsOf,
  kilogramsOf,
  measurementOf,
  sumOf,
  unreadable,
} from "./kpt-draft.ts";
import type { DayDraft } from "./visits-draft.ts";

const draft = {
  ...blankDraft,
  householdId: "did:x:1",
  startDate: "2024-02-01",
  endDate: "2024-02-04",
  logs: ["3,2", "2.8", "3.0", "2.9"],
  total: "11.9",
  season: "dry",
  nothingSpecial: true,
};

const facts: KptFacts = {
  span: null,
  today: 0,
  campaign: {
    campaignId: "KPT-1",
    window: { startDay: 0, endDay: 9 },
    logConvention: "calendar-days",
    season: undefined,
    externalFactors: undefined,
    member: { group: "reference", status: "sampled" },
    isNearest: false,
    isDrawn: true,
    hasReferenceClaims: false,
    otherGroup: { hasClaims: false, sharesDay: false },
  },
};

describe("the draft of a measurement", () => {
  it("adds kilograms exactly: 0.1 + 0.2 is 0.3", () => {
    expect(kilogramsOf(sumOf(["0.1", "0.2"]))).toBe("0.3");
    expect(brokenKptRules(measurementOf(draft), facts)).toEqual([]);
    const off = brokenKptRules(measurementOf({ ...draft, total: "11.901" }), facts);
    expect(off).toMatchObject([{ rule: "total-equals-sum", values: { total: "11.901", sum: "11.9" } }]);
  });

  it("asks for each day of a short campaign, and for three days of a long one", () => {
    const campaign = (endDate: string, logConvention: "calendar-days" | "interval") =>
      blankLogs({ testPeriod: { startDate: "2024-02-01", endDate }, logConvention }).length;
    expect(campaign("2024-02-04", "calendar-days")).toBe(4);
    expect(campaign("2024-02-04", "interval")).toBe(3);
    expect(campaign("2024-02-07", "calendar-days")).toBe(7);
    expect(campaign("2024-02-28", "calendar-days")).toBe(3);
  });

  it("lists the fields that are not numbers", () => {
    expect(unreadable({ ...draft, logs: ["3.2", "", "1.2345"], total: "x" })).toEqual([1, 2, "total"]);
    expect(gramsOf("1.2345")).toBeUndefined();
  });

  it("sends the typed digits unchanged", () => {
    const body = stringifyExact(claimOf("KPT-1", draft));
    expect(body).toContain('"fuelMeasurements":{"total":11.9,"dailyLogs":[3.2,2.8,3,2.9]}');
    expect(body).toContain('"externalFactors":{"season":"dry","culturalEvents":[],"occupationalFactors":[]}');
  });

  it("sends weighings of several fuels as visits, day by day", () => {
    const about = { startDate: "2024-02-01", logConvention: "interval", fuel: "wood" } as const;
    const day = { start: "10", added: "0,5", end: "8.25" };
    const fuels = [
      { fuel: "wood" as const, scaleId: "SCALE-7", days: [day, day, day] },
      { fuel: "lpg" as const, scaleId: "", days: [day, day, { start: "1", added: "0", end: "1" }] },
    ];
    const several = { ...draft, startDate: "", fuels, collector: "did:key:z6Mk", times: ["17:30", "17:30", "17:30"] };
    expect(unreadable(several, about)).toEqual([]);
    expect(measurementOf(several, about).fuelMeasurements).toEqual({ total: 6750n, dailyLogs: [2250n, 2250n, 2250n] });
    const body = stringifyExact(claimOf("KPT-1", several, about));
    expect(body).toContain('"fuel":"wood","start":10,"added":0.5,"end":8.25,"scaleId":"SCALE-7"}');
    expect(body).toMatch(/"visits":\[\{"day":1,"at":"2024-02-0\dT/);
    expect(body).not.toContain("fuelMeasurements");
    const wrong = {
      ...several,
      collector: "me",
      times: ["17:30"],
      fuels: [{ ...fuels[0], days: [{ ...day, end: "x" }] }],
    };
    expect(unreadable(wrong as typeof several, about)).toEqual(["fuels.0.days.0.end", "collector"]);
  });

  it("sends the moisture of solid biomass that was there, where dry mass counts", () => {
    const about = { startDate: "2024-02-01", logConvention: "calendar-days", fuel: "wood", mass: "dry" } as const;
    const readings = ["18,5", "19", "18", "20", "19.25", "19", "18", "18", "19"];
    const day = { start: "10", added: "1.5", end: "8.725", readings };
    const none = { start: "0", added: "0", end: "0" };
    const [wood] = blankFuels(about, 3);
    const charcoal = { fuel: "charcoal" as const, scaleId: "", days: [day, day, day] };
    const entry = (basis: "wet" | "dry" | undefined, last: DayDraft = none) => ({
      ...draft,
      startDate: "",
      fuels: [{ ...wood, fuel: "wood" as const, scaleId: "", basis, days: [day, day, last] }, charcoal],
      collector: "did:key:z6Mk",
      times: ["17:30", "17:30", "17:30"],
    });
    const dryFacts = { ...facts, campaign: { ...facts.campaign, dryMass: { dryNcvOf: ["wood"] } } } as KptFacts;
    const broken = (each: typeof draft) => brokenKptRules(measurementOf(each, about), dryFacts).map(({ path }) => path);
    expect(unreadable(entry("wet"), about)).toEqual([]);
    expect(broken(entry("wet"))).toEqual([]);
    expect(measurementOf(entry("wet"), about).fuelMeasurements).toEqual({
      total: 4508n,
      dailyLogs: [2254n, 2254n, 0n],
    });
    const body = stringifyExact(claimOf("KPT-1", entry("dry"), about));
    const sent = '"moisture":{"basis":"dry","readings":[[18.5,19,18],[20,19.25,19],[18,18,19]]}';
    expect(body.split(sent)).toHaveLength(3);
    expect(body.split("moisture")).toHaveLength(3);
    expect(broken(entry(undefined))).toEqual(["visits.0.fuels.0.moisture", "visits.1.fuels.0.moisture"]);
    expect(broken(entry("wet", { ...day, readings: [...readings.slice(1), "x"] }))).toEqual([
      "visits.2.fuels.0.moisture",
    ]);
    const asWeighed = { ...about, mass: undefined };
    expect(blankFuels(asWeighed, 3)).toEqual([]);
    expect(stringifyExact(claimOf("KPT-1", entry("dry"), asWeighed))).not.toContain("moisture");
  });

  it("omits what was not entered, so that the campaign's values apply", () => {
    const silent = { ...draft, season: " ", nothingSpecial: false, startDate: "" };
    expect(stringifyExact(claimOf("KPT-1", silent))).not.toMatch(/externalFactors|testPeriod/);
  });
});
