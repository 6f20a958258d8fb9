import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { amendedTerms, blankTerms, draftOf, termsOf, unreadableTerms } from "./emissions-terms.ts";

describe("the other data of a reduction", () => {
  it("are undefined when nothing was entered", () => {
    expect(termsOf(blankTerms)).toBeUndefined();
  });

  it("keep every digit, and accept a decimal comma", () => {
    const draft = { ...blankTerms, fuel: "wood", units: "1000", daf: "0,10000000000001", surveyed: "30", inUse: "28" };
    expect(unreadableTerms(draft)).toEqual([]);
    expect(stringifyExact(termsOf(draft))).toBe(
      '{"fuel":"wood","units":1000,"daf":0.10000000000001,"usageSurvey":{"surveyed":30,"inUse":28}}',
    );
  });

  it("have the parameters of the chosen method, and not those of another", () => {
    const draft = { ...blankTerms, SC_b: "0.002402", MPE: "0,015", eta_old: "0.1", meteredFuel: "lpg" };
    const metered = { ...draft, method: "mecd-specific-energy", parameters: "PRM-41, PRM-42" };
    expect(stringifyExact(termsOf(metered))).toBe(
      '{"method":"mecd-specific-energy","meteredFuel":"lpg","parameters":["PRM-41","PRM-42"],"methodParameters":{"SC_b":0.002402,"MPE":0.015}}',
    );
    expect(stringifyExact(termsOf({ ...draft, method: "vm0050-1" }))).toBe(
      '{"method":"vm0050-1","methodParameters":{"eta_old":0.1}}',
    );
    expect(unreadableTerms({ ...metered, SC_p: "small", eta_new: "small" })).toEqual(["SC_p"]);
  });

  it("name the warming potentials, the version of the method, and calorific values of dry mass only", () => {
    const draft = {
      ...blankTerms,
      method: "smec-4",
      methodVersion: "4.0",
      gwp: "AR6",
      fuel: "dung",
      "dryNcv.dung": "0,0117",
    };
    expect(stringifyExact(termsOf({ ...draft, fuelMass: "dry" }))).toBe(
      '{"method":"smec-4","methodVersion":"4.0","fuel":"dung","fuelMass":"dry","gwp":"AR6","dryNcv":{"dung":0.0117}}',
    );
    expect(termsOf(draft)).not.toHaveProperty("dryNcv");
    expect(unreadableTerms({ ...draft, fuelMass: "dry", "dryNcv.wood": "much" })).toEqual(["dryNcv.wood"]);
  });

  it("list the fields that are not numbers", () => {
    expect(unreadableTerms({ ...blankTerms, units: "many", life: "1e3", vintage: "2025.5", he: "-1" })).toEqual([
      "units",
      "life",
      "vintage",
    ]);
  });
});

describe("an amendment of these data", () => {
  const committed = {
    method: "mecd-specific-energy",
    fuel: "charcoal",
    gwp: "AR4",
    parameters: ["PRM-1", "PRM-2"],
    daf: "0.10000000000001",
    householdSize: 4,
    methodParameters: { SC_b: "0.002402", unknown_1: "0.5" },
    dryNcv: { wood: "0.0184" },
    fuelMass: "dry",
    usageSurvey: { surveyed: 30, inUse: 28 },
    usageSurveys: [{ age: 1, surveyed: 30, inUse: 28 }],
    valuePer: "person",
  } as unknown as Parameters<typeof draftOf>[0];

  it("begins with the committed ones, digit for digit", () => {
    expect(draftOf(null)).toEqual(blankTerms);
    expect(draftOf(committed)).toEqual({
      ...blankTerms,
      method: "mecd-specific-energy",
      fuel: "charcoal",
      fuelMass: "dry",
      valuePer: "person",
      gwp: "AR4",
      parameters: "PRM-1, PRM-2",
      daf: "0.10000000000001",
      householdSize: "4",
      SC_b: "0.002402",
      "dryNcv.wood": "0.0184",
      surveyed: "30",
      inUse: "28",
    });
  });

  it("keeps those that the form does not have", () => {
    const amended = amendedTerms(committed, { ...draftOf(committed), daf: "0.2" });
    expect(stringifyExact(amended)).toBe(
      '{"method":"mecd-specific-energy","fuel":"charcoal","fuelMass":"dry","valuePer":"person","gwp":"AR4","householdSize":4,"daf":0.2,' +
        '"parameters":["PRM-1","PRM-2"],"methodParameters":{"unknown_1":0.5,"SC_b":0.002402},"dryNcv":{"wood":0.0184},' +
        '"usageSurvey":{"surveyed":30,"inUse":28},"usageSurveys":[{"age":1,"surveyed":30,"inUse":28}]}',
    );
    expect(amendedTerms(null, blankTerms)).toEqual({});
  });
});
