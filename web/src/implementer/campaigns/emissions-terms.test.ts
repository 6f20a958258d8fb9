import { describe, expect, it } from "vitest";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { blankTerms, termsOf, unreadableTerms } from "./emissions-terms.ts";

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
