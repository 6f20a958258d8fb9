import { type Decimal, decimal } from "../../api/scheme/emissions/decimal.ts";

/** For tests: the inputs of a method as JSON, figures as decimal text. */
export type StatedInputs = {
  parameters: Record<string, string>;
  baseline: ({ fuel: string } & Record<string, string>)[];
  project: ({ fuel: string } & Record<string, string>)[];
};

/** For tests: such inputs as the JSON text that `npm run er` and the second opinion read, with exact numbers. */
export function jsonOf(inputs: StatedInputs): string {
  return JSON.stringify(inputs, (name, value) =>
    typeof value === "string" && name !== "fuel" ? JSON.rawJSON(value) : value,
  );
}

/** For tests: an application of a method that somebody published, with figures as they are printed. */
export type PublishedExample = { name: string; inputs: StatedInputs; printed: Record<string, string> };

/** For tests: whether a figure is the printed one, rounded at its last digit. */
export function isAsPrinted(value: Decimal, printed: string): boolean {
  const decimals = printed.split(".")[1]?.length ?? 0;
  return value.minus(printed).abs().times(2).lte(decimal(10).pow(-decimals));
}

const parameters = {
  P_CAP: "0.005",
  users: "6000",
  DAF: "0",
  MPE: "0.015",
  coverage: "0.985",
  N_new: "1500",
};
/** kg a day in the households that burn the fuel · their share (P · Prop of equation 1), in t. */
const baseline: StatedInputs["baseline"] = [
  {
    fuel: "wood", // 3.048 · 0.80
    P: "0.0024384",
    NCV: "0.0156",
    EF_CO2: "112",
    EF_nonCO2: "9.46",
    fNRB: "0.8347",
    UEF: "1.5",
    eta: "0.1",
  },
  // 0.1156 · 0.11
  { fuel: "natural-gas", P: "0.000012716", NCV: "0.0442", EF_CO2: "56.1", EF_nonCO2: "0.293", UEF: "8", eta: "0.5" },
  // 0.1752 · 0.09
  { fuel: "lpg", P: "0.000015768", NCV: "0.0473", EF_CO2: "63.1", EF_nonCO2: "0.89", UEF: "6", eta: "0.6" },
];

/**
 * For tests: MECD v2.0, method 1. hashgraph/guardian, Methodology Library, Gold Standard, Metered Energy Cooking, MECD v2.0, test-curls:
 * 02-er-method-1-{electricity,fossil,renewable}.txt, and the results in its readme.md, "Expected ER per curl". Baseline and induction
 * stove are those of project GS11817 (ATEC, Bangladesh), 1 500 stoves in 2024. The files also have figures of forms that were filled
 * in before the calculation, such as er_y 1214.45291; the readme's results are those of the policy.
 */
export const mecdMethod1: readonly PublishedExample[] = [
  {
    name: "electricity",
    inputs: {
      parameters,
      baseline,
      project: [{ fuel: "electricity", P: "492.75", EF_el: "0.412", TDL: "0.1041", eta: "0.9235" }],
    },
    printed: {
      useful: "1.63819665",
      factor: "896.0842111",
      baseline: "1467.96215",
      project: "224.15",
      reductions: "1193",
    },
  },
  {
    name: "fossil",
    inputs: {
      parameters,
      baseline,
      project: [{ fuel: "lpg", P: "65.4", NCV: "0.0473", EF_CO2: "63.1", EF_nonCO2: "0.89", UEF: "6", eta: "0.55" }],
    },
    printed: { useful: "1.7", factor: "896.0842111", project: "216.51", reductions: "1256" },
  },
  {
    name: "renewable",
    inputs: {
      parameters: { ...parameters, MPE: "0.02" },
      baseline,
      project: [
        { fuel: "biogas", P: "75", NCV: "0.05", EF_CO2: "0", EF_nonCO2: "1.5", fNRB: "0", UEF: "2", eta: "0.5" },
      ],
    },
    printed: { useful: "1.875", factor: "896.0842111", project: "13.13", reductions: "1608" },
  },
];
