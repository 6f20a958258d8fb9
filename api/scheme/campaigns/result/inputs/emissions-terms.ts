import { z } from "@hono/zod-openapi";
import { LosslessNumber, parse } from "lossless-json";
import { driedFuels, type FuelMass, fuelMasses } from "../../../../../wire/src/kpt-visits.ts";
import { integer } from "../../../../platform/values/numbers.ts";
import { identifier } from "../../../../platform/values/text.ts";
import {
  decimal,
  decimalText,
  type FuelId,
  figure,
  fuelIds,
  type GwpSet,
  gwpSets,
  jsonExact,
  methods,
  pairLimits,
  type RenewabilityArea,
  readsMeters,
  renewabilityAreas,
  smec4Limits,
  type ValueUnit,
  valueUnits,
} from "../../../emissions/index.ts";
import { parameterId } from "../../../parameters/index.ts";

/** Methods that calculate a reduction from a campaign. */
export const campaignMethods = ["smec-4", "tpddtec", "tpddtec-4", "vm0050-1", "mecd-specific-energy"] as const;
export type MethodId = (typeof campaignMethods)[number];
/** Methods whose reduction is always shown. */
export const defaultMethods: readonly MethodId[] = ["smec-4", "tpddtec"];
/** The method of terms that name none. */
export const usualMethod: MethodId = "smec-4";

/** The unit of a household's value that terms state; the household where they state none. */
export function valueUnitOf(terms: { valuePer?: ValueUnit | undefined } | null | undefined): ValueUnit {
  return terms?.valuePer ?? "household";
}
/** Fuels that are weighed. */
const weighedFuels = fuelIds.filter((fuel) => fuel !== "electricity");
/** Fuels that a meter of a cooking device counts. */
const meteredFuels = ["electricity", "lpg", "natural-gas", "biogas", "ethanol"] as const satisfies readonly FuelId[];

/** Most parameters of the regulator's list that terms refer to: several figures of each fuel, and those of the area. */
const maxParameters = 100;

/** A figure as decimal text: plain JSON that a database, a canonical text and the chain keep digit by digit. */
const figureText = (...limits: Parameters<typeof figure>) => figure(...limits).transform(decimalText);

const most = 1_000_000_000_000;

const usageSurvey = z
  .strictObject({ surveyed: integer(2, 1_000_000_000), inUse: integer(0, 1_000_000_000) })
  .openapi({ description: "Usage survey: `inUse` of `surveyed` units were found in use; U is its lower bound." });

const fields = {
  method: z.enum(campaignMethods).optional().openapi({
    description: "Method of the certificate; without one, no certificate can be made.",
  }),
  methodVersion: identifier(32).openapi({ description: "Version of the method; absent: the current one." }),
  methodParameters: z
    .record(z.string().regex(/^[A-Za-z_]\w{0,31}$/), figureText(-most, most, "Exact figure."))
    .openapi({
      description: "Parameters of the method by their symbol, such as eta_new of vm0050-1; see docs/emissions.md.",
    }),
  fuel: z.enum(weighedFuels as [FuelId, ...FuelId[]]).openapi({ description: "Fuel that both groups burn." }),
  fuelMass: z.enum(fuelMasses).openapi({
    description:
      "What the daily logs count: the fuel as weighed (absent: this), or the dry mass of solid biomass, for which every claim has visits with moisture.",
  }),
  dryNcv: z
    .partialRecord(z.enum(driedFuels), figureText(decimal("0.001"), decimal("0.2"), "TJ/t of dry mass."))
    .openapi({
      description:
        "With `fuelMass: dry`: calorific values of dry fuels that the regulator has not recorded as `ncv-dry`. No certificate is made with one.",
    }),
  valuePer: z.enum(valueUnits).openapi({
    description:
      "Whose fuel a day a household's value is: its own (absent: this), or that of each person or standard adult who was fed, or is registered where visits do not say who was.",
  }),
  meteredFuel: z.enum(meteredFuels).openapi({
    description: "Of mecd-specific-energy: the fuel that the meters of the intervention households count.",
  }),
  gwp: z.enum(Object.keys(gwpSets) as [GwpSet, ...GwpSet[]]).openapi({
    description: "Global warming potentials of CH4 and N2O; absent: AR5.",
  }),
  area: z.enum(renewabilityAreas as [RenewabilityArea, ...RenewabilityArea[]]).openapi({
    description: "Where the households live: its registry default of fNRB (SSA: sub-Saharan Africa).",
  }),
  units: figureText(0, pairLimits.n_stoves.max, "Units of the programme in the year, N."),
  householdSize: figureText(decimal("0.1"), 100, "Mean size of a household, people."),
  usage: figureText(0, pairLimits.usage.max, "Share of the units in use, U; its lower bound when surveyed."),
  usageSurvey,
  usageSurveys: z
    .array(
      z.strictObject({ age: integer(1, 100), surveyed: integer(1, 1_000_000_000), inUse: integer(0, 1_000_000_000) }),
    )
    .min(1)
    .max(100)
    .openapi({ description: "Surveys by age of the devices, in years of life from 1; for registered devices." }),
  fnrb: figureText(0, pairLimits.fnrb.max, "Fraction of non-renewable biomass; absent: the area's default."),
  fnrbApproval: identifier(256).openapi({
    description: "Id of the regulator's parameter that approves an fNRB above the default, such as PRM-31.",
  }),
  parameters: z.array(parameterId).max(maxParameters).openapi({
    description:
      "Ids of parameters of the regulator's list (GET /v1/parameters) to calculate with. Where none is named, the fNRB of the area and the figures of every fuel that the regulator recorded are added.",
  }),
  baseline: z.enum(["measured", "minimum-service"]).openapi({
    description: "P_b from the reference group (absent: this), or option B of smec-4.",
  }),
  newUnits: figureText(smec4Limits.newUnits.min, smec4Limits.newUnits.max, "Units that were new in the year."),
  life: figureText(smec4Limits.life.min, smec4Limits.life.max, "Technical life of a unit, years."),
  creditingYear: integer(1, 100).openapi({ description: "Which year of the new units this is; absent: 1." }),
  daf: figureText(
    smec4Limits.daf.min,
    smec4Limits.daf.max,
    "Downward adjustment factor of smec-4 and mecd-specific-energy.",
  ),
  he: figureText(smec4Limits.he.min, smec4Limits.he.max, "Hawthorne effect: share of the saving that stays."),
  leakage: figureText(0, most, "Leakage of tpddtec, as the project assessed it, tCO2e in the year."),
  vintage: integer(1990, 9999).openapi({ description: "Calendar year of the reduction." }),
} as const;

/**
 * Terms of the programme that an emission reduction needs in addition to the measurements. Every field is optional. The parsed value is
 * plain JSON with figures as decimal text, so it is unchanged after a database or `JSON.parse`.
 */
export const emissionsTerms = z
  .strictObject(fields)
  .partial()
  .refine(({ usage, usageSurvey }) => usage === undefined || usageSurvey === undefined, {
    path: ["usageSurvey"],
    message: "Usage is given as a share or as a survey, not as both.",
    params: { rule: "usage-once" },
  })
  .refine(
    ({ usage, usageSurvey, usageSurveys }) => usageSurveys === undefined || (usage ?? usageSurvey) === undefined,
    {
      path: ["usageSurveys"],
      message: "Usage is given by age, for all devices, or as a share, not twice.",
      params: { rule: "usage-once" },
    },
  )
  .refine(({ usageSurvey: survey }) => survey === undefined || survey.inUse <= survey.surveyed, {
    path: ["usageSurvey", "inUse"],
    message: "No more units can be in use than were surveyed.",
    params: { rule: "range" },
  })
  .superRefine(checkMethod)
  .superRefine(checkFuelMass)
  .superRefine(checkValue)
  .openapi("EmissionsTerms", {
    example: { fuel: "wood", area: "ZMB", units: 1000, usage: 0.92, householdSize: 4.5, newUnits: 1000, life: 3 },
  });
export type EmissionsTerms = z.output<typeof emissionsTerms>;

/** Parameters that a term by name gives, or that are counted. */
const namedParameters = ["DAF", "HE", "life", "year", "N_new", "LE", "users", "coverage"];

/** Parameters of a method that `methodParameters` gives. */
export function freeParameters(method: MethodId | undefined) {
  const { parameters = [] } = (method === undefined ? undefined : methods.get(method)) ?? {};
  return parameters.filter(({ symbol, isFixed }) => !isFixed && !namedParameters.includes(symbol));
}

function checkMethod(
  { method, methodVersion, methodParameters }: MethodTerms,
  context: { addIssue: (issue: Issue) => void },
): void {
  const issue = (path: string[], rule: string, message: string) =>
    context.addIssue({ code: "custom", path, message, params: { rule } });
  const record = method === undefined ? undefined : methods.get(method);
  if (record === undefined) {
    for (const [name, value] of Object.entries({ methodVersion, methodParameters })) {
      if (value !== undefined) issue([name], "method-named", `${name} needs the method that it belongs to: method.`);
    }
    return;
  }
  if (methodVersion !== undefined && methodVersion !== record.version) {
    const message = `The version of ${record.id} here is ${record.version}, not ${methodVersion}.`;
    issue(["methodVersion"], "method-version-known", message);
  }
  const free = freeParameters(method);
  for (const [symbol, text] of Object.entries(methodParameters ?? {})) {
    const path = ["methodParameters", symbol];
    const found = free.find((each) => each.symbol === symbol);
    if (found === undefined) {
      const names = free.length === 0 ? "none" : free.map((each) => each.symbol).join(", ");
      issue(
        path,
        "parameter-known",
        `${symbol} is not a parameter of ${record.id} that is given here; these are: ${names}.`,
      );
    } else if (decimal(text).lt(found.min) || decimal(text).gt(found.max)) {
      issue(path, "range", `${symbol} lies from ${decimalText(found.min)} to ${decimalText(found.max)}.`);
    }
  }
}

/** Refuse what belongs to another basis of the fuel mass; what the regulator recorded is checked with the parameters. */
function checkFuelMass(
  { fuelMass, dryNcv, baseline }: FuelMassTerms,
  context: { addIssue: (issue: Issue) => void },
): void {
  const issue = (path: string, rule: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message, params: { rule } });
  if (fuelMass !== "dry" && dryNcv !== undefined) {
    const message = "A calorific value of dry fuel does not fit a mass as weighed; commit fuelMass: dry.";
    issue("dryNcv", "ncv-fits-mass", message);
  }
  if (fuelMass === "dry" && baseline === "minimum-service") {
    const message =
      "The minimum service levels of option B are masses as weighed; with dry mass the baseline is measured.";
    issue("baseline", "baseline-fits-mass", message);
  }
}

/** Refuse a value of a person where the calculation rests on what is of a household. */
function checkValue({ method, baseline, ...terms }: ValueTerms, context: { addIssue: (issue: Issue) => void }): void {
  if (valueUnitOf(terms) === "household") return;
  const refuse = (message: string) =>
    context.addIssue({ code: "custom", path: ["valuePer"], message, params: { rule: "value-of-household" } });
  if (readsMeters(method)) refuse("Meters count the fuel of the whole household; valuePer must be household.");
  if (baseline === "minimum-service") refuse("Option B sets the baseline per household; valuePer must be household.");
}

type ValueTerms = {
  valuePer?: ValueUnit | undefined;
  method?: MethodId | undefined;
  baseline?: "measured" | "minimum-service" | undefined;
};
type FuelMassTerms = {
  fuelMass?: FuelMass | undefined;
  dryNcv?: object | undefined;
  baseline?: "measured" | "minimum-service" | undefined;
};
type MethodTerms = {
  method?: MethodId | undefined;
  methodVersion?: string | undefined;
  methodParameters?: Record<string, string> | undefined;
};
type Issue = { code: "custom"; path: string[]; message: string; params: { rule: string } };

const figures = ["units", "householdSize", "usage", "fnrb", "newUnits", "life", "daf", "he", "leakage"] as const;

/**
 * Terms as a database or the chain kept them. Terms that were committed without this API may be anything; then nothing counts as
 * given, which a result says and which no certificate is made of.
 */
export function readEmissionsTerms(stored: unknown): EmissionsTerms {
  const text = JSON.stringify(stored, (key, value) => {
    if ((key === "methodParameters" || key === "dryNcv") && typeof value === "object" && value !== null)
      return numbersOf(value);
    return typeof value === "string" && (figures as readonly string[]).includes(key) ? asNumber(value) : value;
  });
  const parsed = emissionsTerms.safeParse(text === undefined ? {} : parse(text, undefined, { parseNumber }));
  return parsed.success ? parsed.data : {};
}

const parseNumber = (digits: string) => new LosslessNumber(digits);

function numbersOf(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([symbol, value]) => [symbol, typeof value === "string" ? asNumber(value) : value]),
  );
}

function asNumber(text: string): unknown {
  return /^-?\d{1,40}(\.\d{1,40})?$/.test(text) ? jsonExact(decimal(text)) : text;
}

const number = z.number().optional();
/** The terms in an answer: figures are JSON numbers, every digit. */
export const emissionsTermsResponse = z
  .object({
    method: z.enum(campaignMethods).optional(),
    methodVersion: z.string().optional(),
    methodParameters: z.record(z.string(), z.number()).optional(),
    fuel: z.enum(weighedFuels as [FuelId, ...FuelId[]]).optional(),
    fuelMass: z.enum(fuelMasses).optional(),
    dryNcv: z.record(z.string(), z.number()).optional(),
    valuePer: z.enum(valueUnits).optional(),
    meteredFuel: z.enum(meteredFuels).optional(),
    gwp: z.enum(Object.keys(gwpSets) as [GwpSet, ...GwpSet[]]).optional(),
    area: z.string().optional(),
    usageSurvey: z.object({ surveyed: z.number(), inUse: z.number() }).optional(),
    usageSurveys: z.array(z.object({ age: z.number(), surveyed: z.number(), inUse: z.number() })).optional(),
    fnrbApproval: z.string().optional(),
    parameters: z.array(z.string()).optional(),
    baseline: z.enum(["measured", "minimum-service"]).optional(),
    creditingYear: number,
    vintage: number,
    ...(Object.fromEntries(figures.map((name) => [name, number])) as Record<(typeof figures)[number], typeof number>),
  })
  .openapi("EmissionsTermsAnswer");
export type EmissionsTermsResponse = z.infer<typeof emissionsTermsResponse>;

/** Terms as an answer shows them, figures as the JSON numbers that were given. */
export function serializeEmissionsTerms(terms: EmissionsTerms): EmissionsTermsResponse {
  const shown: Record<string, unknown> = { ...terms };
  for (const name of figures) if (terms[name] !== undefined) shown[name] = jsonExact(decimal(terms[name]));
  for (const name of ["methodParameters", "dryNcv"] as const) {
    const texts = terms[name];
    if (texts === undefined) continue;
    shown[name] = Object.fromEntries(Object.entries(texts).map(([symbol, text]) => [symbol, jsonExact(decimal(text))]));
  }
  return shown as EmissionsTermsResponse;
}
