import type { CampaignOutcome } from "../api/scheme/emissions/campaign/evaluate.ts";
import { decimalText, displayText } from "../api/scheme/emissions/decimal.ts";
import type { Method, MethodResult, Parameter } from "../api/scheme/emissions/methods/definition.ts";
import { methods } from "../api/scheme/emissions/methods/registry.ts";

/** Decimals that the tables show. */
const shownPlaces = 12;

/** One line for each method. */
export function listMethods(): string {
  const width = Math.max(...[...methods.keys()].map((id) => id.length));
  return [...methods.values()]
    .map(({ id, title, version }) => `  ${id.padEnd(width)}  ${title}, v${version}`)
    .join("\n");
}

/** Columns padded to the width of their widest text. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function parameterRow({
  symbol,
  name,
  unit,
  min,
  max,
  source,
  default: fallback,
  isFixed,
  carriers,
}: Parameter): string[] {
  const range = isFixed ? "fixed" : `${decimalText(min)} to ${decimalText(max)}`;
  const fuels = carriers?.join(", ") ?? "all";
  return [`  ${symbol}`, unit, range, fallback === null ? "none" : defaultText(fallback), fuels, `${name} (${source})`];
}

function defaultText(fallback: NonNullable<Parameter["default"]>): string {
  switch (fallback.kind) {
    case "value":
      return decimalText(fallback.value);
    case "fuel":
      return "of the fuel";
    case "formula":
      return fallback.expression;
    case "table":
      return Object.entries(fallback.values)
        .map(([fuel, value]) => `${fuel} ${decimalText(value)}`)
        .join(", ");
  }
}

/** A method's parameters, formulas and minimums. */
export function describeMethod(method: Method): string {
  const { id, title, version, parameters, rows, formulas, minimums } = method;
  const heading = ["  symbol", "unit", "range", "default", "fuels", "meaning (source)"];
  const { sample, days, usageSurvey, precision } = minimums;
  return [
    `${title}, version ${version} (${id})`,
    "",
    "parameters:",
    ...table([heading, ...parameters.map(parameterRow)]),
    "",
    "each fuel of baseline:",
    ...table([heading, ...rows.baseline.map(parameterRow)]),
    "",
    "each fuel of project:",
    ...table([heading, ...rows.project.map(parameterRow)]),
    "",
    "formulas:",
    ...table(
      formulas.map(({ symbol, expression, rows: each, source }) => [
        `  ${symbol} = ${expression}`,
        each === undefined ? "" : `each ${each.carriers?.join(", ") ?? "fuel"} of ${each.side}`,
        source,
      ]),
    ),
    "",
    "minimums:",
    `  ${sample.value} households of each group (${sample.source})`,
    `  ${days.value} days of a kitchen performance test (${days.source})`,
    `  ${usageSurvey.total} surveyed devices, ${usageSurvey.perCohort} of each age (${usageSurvey.source})`,
    `  half-width ÷ ${precision.of} of at most ${decimalText(precision.limit)} at 90 % confidence (${precision.source})`,
  ].join("\n");
}

/** Every step of a method's result, down to the reduction. */
export function methodTable(result: MethodResult): string {
  const { title = "" } = methods.get(result.method) ?? {};
  const values = result.values.map(({ symbol, of, value, unit, source }) => [
    symbol,
    of ?? "",
    displayText(value, shownPlaces),
    unit,
    source,
  ]);
  const steps = result.steps.map(({ symbol, of, result: value, unit, formula, source }) => [
    symbol,
    of ?? "",
    displayText(value, shownPlaces),
    unit,
    `${formula} (${source})`,
  ]);
  return [`${title}, version ${result.version} (${result.method})`, "", ...table([...values, ...steps])].join("\n");
}

/** What a campaign measured, both readings, and what can be certified. */
export function campaignTable(outcome: CampaignOutcome): string {
  const { days, devices, usage, groups, asMeasured, withMissing, certifiable, reasons, flags } = outcome;
  const shown = asMeasured ?? withMissing;
  const reductionOf = (reading: CampaignOutcome["asMeasured"]) =>
    reading === null ? "none" : `${displayText(reading.result.reductions, shownPlaces)} tCO2e`;
  const facts = table([
    ["days of the test", String(days)],
    ...(devices === null ? [] : [["device-days", `${devices.days}; ${devices.newDevices} devices were new`]]),
    ["usage, U", displayText(usage.usage, shownPlaces)],
    ...(["reference", "intervention"] as const).map((group) => [
      `${group} households`,
      `${groups[group].measured} of ${groups[group].drawn} measured, ${groups[group].missing} missing`,
    ]),
    ...(shown?.fuels ?? []).map(({ fuel, baseline, project, taken }) => [
      `${fuel} a day`,
      `${displayText(baseline, shownPlaces)} before, ${displayText(project, shownPlaces)} after: ${taken}`,
    ]),
    ["reduction as measured", reductionOf(asMeasured)],
    ["with missing positions", reductionOf(withMissing)],
    ["certifiable", certifiable === null ? "nothing" : `${displayText(certifiable, shownPlaces)} tCO2e`],
  ]);
  return [
    ...facts,
    ...reasons.map(({ rule, message }) => `  not certifiable: ${message} (${rule})`),
    ...flags.map(({ group, rule, message }) => `  flag, ${group}: ${message} (${rule})`),
    ...(shown === null ? [] : ["", methodTable(shown.result)]),
  ].join("\n");
}
