import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { type Decimal, decimalText, one, zero } from "../decimal.ts";
import { DivisionByZero, type Expression, parseExpression } from "../formula/expression.ts";
import { type FuelData, fuelIds, fuels, type GwpSet, isFuelId, nonCo2Factor, usualGwp } from "../fuels.ts";
import type {
  Formula,
  FuelRow,
  Method,
  MethodDefinition,
  MethodInputs,
  MethodResult,
  Parameter,
  Side,
  Step,
  UsedValue,
} from "./definition.ts";
import { sides } from "./definition.ts";

type Parsed = { formula: Omit<Formula, "rows"> & Pick<Formula, "rows">; expression: Expression };

/** Parse the formulas of a method and check that every symbol in them is defined. @throws SyntaxError for a wrong definition */
export function defineMethod(definition: MethodDefinition): Method {
  const parsed = definition.formulas.map((formula) => ({ formula, expression: parseExpression(formula.expression) }));
  const derived = new Map(
    definition.parameters.flatMap((parameter) =>
      parameter.default?.kind === "formula" ? [[parameter.symbol, derivedFormula(parameter)] as const] : [],
    ),
  );
  checkSymbols(definition, [...parsed, ...derived.values()]);
  return {
    ...definition,
    calculate: (inputs) => {
      refuseBrokenRules(problemsOf(definition, inputs), "No emission reduction follows from these figures.");
      return new Calculation(definition, inputs, derived).run(parsed);
    },
  };
}

function derivedFormula({ symbol, name, unit, source, default: value }: Parameter): Parsed {
  if (value?.kind !== "formula") throw new RangeError(`${symbol} is not derived.`);
  return {
    formula: { symbol, name, unit, source, expression: value.expression },
    expression: parseExpression(value.expression),
  };
}

function checkSymbols(definition: MethodDefinition, formulas: readonly Parsed[]): void {
  const { id, parameters, rows, results, adjustments } = definition;
  const whole = new Set(parameters.map(({ symbol }) => symbol));
  const ofRows = { baseline: new Set<string>(), project: new Set<string>() };
  for (const side of sides) for (const { symbol } of rows[side]) ofRows[side].add(symbol);
  for (const { formula } of formulas)
    (formula.rows === undefined ? whole : ofRows[formula.rows.side]).add(formula.symbol);
  const calculated = new Set(formulas.flatMap(({ formula }) => (formula.rows === undefined ? [] : [formula.symbol])));
  for (const { formula, expression } of formulas) {
    const known = (symbol: string) =>
      whole.has(symbol) || (formula.rows !== undefined && ofRows[formula.rows.side].has(symbol));
    const unknown = [
      ...expression.symbols.filter((symbol) => !known(symbol)),
      ...expression.lists.filter((symbol) => !calculated.has(symbol)),
    ];
    if (unknown.length > 0) throw new SyntaxError(`${id}: ${formula.symbol} uses ${unknown.join(", ")}, not defined.`);
  }
  for (const symbol of Object.values(results)) {
    if (!whole.has(symbol)) throw new SyntaxError(`${id}: no formula calculates ${symbol}.`);
  }
  for (const symbol of adjustments) {
    const isKnown = [whole, ofRows.baseline, ofRows.project].some((symbols) => symbols.has(symbol));
    if (!isKnown) throw new SyntaxError(`${id}: the adjustment ${symbol} is not defined.`);
  }
}

/** Every rule that the inputs break. */
function problemsOf(definition: MethodDefinition, inputs: MethodInputs): RuleDetail[] {
  const found = parameterProblems(definition.parameters, inputs.parameters, "parameters");
  if (inputs.baseline.length === 0) {
    found.push({ path: "baseline", rule: "fuels-present", message: "At least one baseline fuel is needed." });
  }
  for (const side of sides) {
    for (const [index, row] of inputs[side].entries()) {
      const path = `${side}.${index}`;
      if (!isFuelId(row.fuel)) {
        const message = `${row.fuel} is not a fuel here; these are: ${fuelIds.join(", ")}.`;
        found.push({ path: `${path}.fuel`, rule: "fuel-known", message });
        continue;
      }
      found.push(...parameterProblems(parametersOf(definition.rows[side], row), row.values, path, row));
    }
  }
  const knowsAllFuels = sides.every((side) => inputs[side].every(({ fuel }) => isFuelId(fuel)));
  return knowsAllFuels ? [...found, ...(definition.check?.(inputs) ?? [])] : found;
}

/** Parameters that the row of a fuel has. */
export function parametersOf(parameters: readonly Parameter[], { fuel }: Pick<FuelRow, "fuel">): Parameter[] {
  const { carrier } = fuels[fuel];
  return parameters.filter(({ carriers }) => carriers === undefined || carriers.includes(carrier));
}

/**
 * Every rule that given figures break: one is missing, unknown, fixed by the method or out of range.
 * @param row the row whose parameters these are; absent for those of the whole calculation
 */
export function parameterProblems(
  parameters: readonly Parameter[],
  given: Readonly<Record<string, Decimal>>,
  path: string,
  row?: Pick<FuelRow, "fuel">,
): RuleDetail[] {
  const found: RuleDetail[] = [];
  for (const symbol of Object.keys(given)) {
    if (parameters.some((parameter) => parameter.symbol === symbol)) continue;
    const names = parameters.map((parameter) => parameter.symbol).join(", ");
    found.push({
      path: `${path}.${symbol}`,
      rule: "parameter-known",
      message: `${symbol} is not used here; ${names} are.`,
    });
  }
  for (const { symbol, name, unit, min, max, default: fallback, isFixed } of parameters) {
    const value = given[symbol];
    if (value !== undefined && isFixed) {
      const message = `${name}, ${symbol}, is fixed by the method and may not be given.`;
      found.push({ path: `${path}.${symbol}`, rule: "parameter-fixed", message });
    } else if (value === undefined) {
      const hasDefault = row === undefined ? fallback !== null : defaultOf(fallback, row, usualGwp) !== null;
      if (!hasDefault) {
        found.push({ path: `${path}.${symbol}`, rule: "parameter-given", message: `${name}, ${symbol}, is needed.` });
      }
    } else if (!(value.gte(min) && value.lte(max))) {
      const message = `${symbol} lies from ${decimalText(min)} to ${decimalText(max)} ${unit}.`.replace(" 1.", ".");
      found.push({ path: `${path}.${symbol}`, rule: "range", message });
    }
  }
  return found;
}

function defaultOf(
  fallback: Parameter["default"],
  { fuel }: Pick<FuelRow, "fuel">,
  gwp: GwpSet,
): { value: Decimal; source: string | null } | null {
  if (fallback === null || fallback.kind === "formula") return null;
  if (fallback.kind === "value") return { value: fallback.value, source: null };
  if (fallback.kind === "table") {
    const value = fallback.values[fuel];
    return value === undefined ? null : { value, source: null };
  }
  const data: FuelData = fuels[fuel];
  switch (fallback.factor) {
    case "ncv":
      return data.ncv;
    case "efCo2":
      return data.efCo2;
    case "efNonCo2":
      return nonCo2Factor(fuel, gwp);
    case "fnrb":
      if (data.carrier === "fossil") return { value: one, source: "a fossil fuel: all of its CO2 counts" };
      if (data.carrier === "biomass") return { value: zero, source: "regrows within a year: its CO2 does not count" };
      return null;
  }
}

/** A figure of a table, which is in tonnes as weighed, as the dry mass of the same energy where the row is of dry mass. */
function asDryMass(
  usual: ReturnType<typeof defaultOf>,
  { dryTonnes }: FuelRow,
  source: string,
): ReturnType<typeof defaultOf> {
  if (usual === null || dryTonnes === undefined) return usual;
  return { value: usual.value.times(dryTonnes), source: `${source}; as dry mass of the same energy` };
}

class Calculation {
  readonly #definition: MethodDefinition;
  readonly #inputs: MethodInputs;
  readonly #derived: ReadonlyMap<string, Parsed>;
  readonly #whole = new Map<string, Decimal>();
  readonly #rows: Record<Side, Map<string, Decimal>[]>;
  readonly #values: UsedValue[] = [];
  readonly #steps: Step[] = [];

  constructor(definition: MethodDefinition, inputs: MethodInputs, derived: ReadonlyMap<string, Parsed>) {
    this.#definition = definition;
    this.#inputs = inputs;
    this.#derived = derived;
    for (const parameter of definition.parameters) this.#takeParameter(parameter);
    const rowsOf = (side: Side) => inputs[side].map((row) => this.#takeRow(side, row));
    this.#rows = { baseline: rowsOf("baseline"), project: rowsOf("project") };
  }

  run(formulas: readonly Parsed[]): MethodResult {
    for (const parsed of formulas) {
      if (parsed.formula.rows === undefined) this.#evaluateWhole(parsed);
      else this.#evaluateRows(parsed, parsed.formula.rows);
    }
    const { id, version, results } = this.#definition;
    const result = (symbol: string) => this.#value(symbol);
    return {
      method: id,
      version,
      baseline: result(results.baseline),
      project: result(results.project),
      leakage: result(results.leakage),
      reductions: result(results.reductions),
      values: this.#values,
      steps: this.#steps,
    };
  }

  #takeParameter({ symbol, name, unit, source, default: fallback }: Parameter): void {
    const given = this.#inputs.parameters[symbol];
    const value = given ?? (fallback?.kind === "value" ? fallback.value : undefined);
    if (value === undefined) return;
    this.#whole.set(symbol, value);
    this.#values.push({
      symbol,
      name,
      of: null,
      value,
      unit,
      source: given === undefined ? source : `given (${source})`,
    });
  }

  #takeRow(side: Side, row: FuelRow): Map<string, Decimal> {
    const of = rowName(side, row);
    const taken = new Map<string, Decimal>();
    for (const { symbol, name, unit, source, default: fallback } of parametersOf(this.#definition.rows[side], row)) {
      const given = row.values[symbol];
      const usual =
        given === undefined ? defaultOf(fallback, row, this.#inputs.gwp ?? usualGwp) : { value: given, source: null };
      const isTable = given === undefined && fallback?.kind === "table";
      const found = isTable ? asDryMass(usual, row, source) : usual;
      if (found === null) throw new RangeError(`${symbol} of ${of} has been refused before.`);
      taken.set(symbol, found.value);
      const origin = given === undefined ? (found.source ?? source) : `given (${source})`;
      this.#values.push({ symbol, name, of, value: found.value, unit, source: origin });
    }
    return taken;
  }

  #evaluateRows(parsed: Parsed, { side, carriers }: NonNullable<Formula["rows"]>): void {
    for (const [index, row] of this.#inputs[side].entries()) {
      if (carriers !== undefined && !carriers.includes(fuels[row.fuel].carrier)) continue;
      const values = this.#rows[side][index] as Map<string, Decimal>;
      const result = this.#step(parsed, rowName(side, row), (symbol) => values.get(symbol) ?? this.#value(symbol));
      values.set(parsed.formula.symbol, result);
    }
  }

  #evaluateWhole(parsed: Parsed): Decimal {
    const result = this.#step(parsed, null, (symbol) => this.#value(symbol));
    this.#whole.set(parsed.formula.symbol, result);
    return result;
  }

  #value(symbol: string): Decimal {
    const known = this.#whole.get(symbol);
    if (known !== undefined) return known;
    const derived = this.#derived.get(symbol);
    if (derived === undefined) throw new RangeError(`${symbol} is used before it is calculated.`);
    return this.#evaluateWhole(derived);
  }

  #list(symbol: string): { of: string; value: Decimal }[] {
    return sides.flatMap((side) =>
      this.#inputs[side].flatMap((row, index) => {
        const value = this.#rows[side][index]?.get(symbol);
        return value === undefined ? [] : [{ of: rowName(side, row), value }];
      }),
    );
  }

  #step({ formula, expression }: Parsed, of: string | null, value: (symbol: string) => Decimal): Decimal {
    const list = (symbol: string) => this.#list(symbol).map((each) => each.value);
    let result: Decimal;
    try {
      result = expression.evaluate({ value, list });
    } catch (error) {
      if (!(error instanceof DivisionByZero)) throw error;
      const message = `${formula.name}, ${formula.symbol}, would divide by 0: ${formula.expression}.`;
      throw new AppError("RULE_VIOLATION", message, {
        details: [{ path: formula.symbol, rule: "divides-by-zero", message }],
      });
    }
    const single = expression.symbols.map((symbol) => ({ symbol, value: value(symbol) }));
    const summed = expression.lists.flatMap((symbol) =>
      this.#list(symbol).map((each) => ({ symbol: `${symbol}[${each.of}]`, value: each.value })),
    );
    this.#steps.push({
      symbol: formula.symbol,
      name: formula.name,
      of,
      formula: `${formula.symbol} = ${expression.text}`,
      values: [...single, ...summed],
      result,
      unit: formula.unit,
      source: formula.source,
    });
    return result;
  }
}

function rowName(side: Side, { fuel }: FuelRow): string {
  return `${side} ${fuel}`;
}
