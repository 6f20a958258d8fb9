import type { RuleDetail } from "../../../platform/errors.ts";
import { daysPerYear } from "../dates.ts";
import { type Decimal, decimal, decimalText, one, sumOf, zero } from "../decimal.ts";
import { type FuelId, fuelIds, fuels } from "../fuels.ts";
import type { MeteredSymbols, Method } from "../methods/definition.ts";
import type { Ratio } from "../statistics.ts";
import { tOf } from "../t-quantile.ts";
import { factorsOf } from "./factors.ts";
import type { Reading } from "./fuel-use.ts";
import { type Household, isMeasured } from "./households.ts";
import type { CampaignInput, SampledPosition } from "./input.ts";

type Metered = { method: Method; metered: MeteredSymbols; reference: readonly Household[] };

/** Decimals of a share; the last share takes the rest, so that all make 1. */
const shareDecimals = 40;

/**
 * Calculate the reduction of the energy that the meters of the measured intervention households counted. Nothing is extrapolated.
 * The reference households show which fuels the energy replaces.
 * @returns null where no energy was metered or the reference group burnt nothing
 */
export function meteredReading(
  input: CampaignInput,
  { method, metered, reference, days, newDevices }: Metered & { days: number; newDevices: Decimal },
): Reading | null {
  const { meteredFuel, groups, householdSize, gwp } = input;
  const measured = groups.intervention.filter(isMeasured);
  if (meteredFuel === undefined || measured.length === 0) return null;
  const amount = sumOf(measured.map((position) => totalOf(position, meteredFuel, days))).div(1000);
  const shares = sharesOf(input, reference);
  if (!amount.gt(zero) || shares.length === 0) return null;
  const measuredDays = measured.reduce((sum, position) => sum + (position.days ?? days), 0);
  const result = method.calculate({
    parameters: {
      ...input.parameters,
      [metered.users]: householdSize.times(measuredDays).div(daysPerYear),
      [metered.coverage]: decimal(measured.length).div(groups.intervention.length),
      [metered.newDevices]: newDevices,
    },
    baseline: shares.map(({ fuel, share }) => ({
      fuel,
      values: { ...factorsOf(input.factors[fuel]), [metered.share]: share },
    })),
    project: [{ fuel: meteredFuel, values: { ...factorsOf(input.factors[meteredFuel]), [metered.amount]: amount } }],
    gwp,
  });
  return { fuels: [], result };
}

/**
 * Check that the emission factor of the reference group's fuels is precise. It is a quotient of two means, emissions and energy, whose
 * variance follows from the households' differences from it.
 */
export function mixReasons(
  { factors, convention, precision }: CampaignInput,
  { method, metered, reference, reading }: Metered & { reading: Reading | null },
): RuleDetail[] {
  if (reading === null || reference.length < 2) return [];
  const { values, steps } = reading.result;
  const factorOf = new Map<FuelId, Decimal>();
  for (const { symbol, of, result } of steps) {
    const share = values.find((value) => value.symbol === metered.share && value.of === of)?.value;
    const fuel = fuelIds.find((id) => of === `baseline ${id}`);
    if (symbol !== metered.factor || fuel === undefined || share === undefined || share.isZero()) continue;
    factorOf.set(fuel, result.div(share));
  }
  const households = reference.map(({ daily }) => {
    const energies = [...factorOf].map(([fuel, factor]) => {
      const energy = quotientOf(daily(fuel)).times(energyPerUnit(factors, fuel));
      return { energy, emissions: energy.times(factor) };
    });
    return {
      energy: sumOf(energies.map(({ energy }) => energy)),
      emissions: sumOf(energies.map(({ emissions }) => emissions)),
    };
  });
  const n = households.length;
  const energy = sumOf(households.map((each) => each.energy));
  const ratio = sumOf(households.map((each) => each.emissions)).div(energy);
  if (ratio.isZero()) return [];
  const squares = sumOf(households.map((each) => each.emissions.minus(ratio.times(each.energy)).pow(2)));
  const standardError = squares
    .times(n)
    .div(n - 1)
    .sqrt()
    .div(energy);
  const found = tOf(convention, n - 1)
    .times(standardError)
    .div(ratio);
  const { limit: ofMethod, source } = method.minimums.precision;
  const limit = precision?.lt(ofMethod) ? precision : ofMethod;
  if (found.lte(limit)) return [];
  const message = `The emission factor of the reference group's fuels is known to ${found.toSignificantDigits(3)} of itself; ${decimalText(limit)} is needed (${source}).`;
  return [{ path: "groups.reference", rule: "baseline-mix-precise", message }];
}

/** Shares of the fuels in the energy that the reference households use together. */
function sharesOf({ factors }: CampaignInput, reference: readonly Household[]): { fuel: FuelId; share: Decimal }[] {
  const used = fuelIds
    .map((fuel) => {
      const amount = sumOf(reference.map(({ daily }) => quotientOf(daily(fuel))));
      return { fuel, energy: amount.times(energyPerUnit(factors, fuel)) };
    })
    .filter(({ energy }) => energy.gt(zero));
  const total = sumOf(used.map(({ energy }) => energy));
  let rest = one;
  return used.map(({ fuel, energy }, index) => {
    const share = index === used.length - 1 ? rest : energy.div(total).toDecimalPlaces(shareDecimals);
    rest = rest.minus(share);
    return { fuel, share };
  });
}

/** TJ of 1 t (1 MWh). */
function energyPerUnit(factors: CampaignInput["factors"], fuel: FuelId): Decimal {
  return factorsOf(factors[fuel]).NCV ?? fuels[fuel].ncv.value;
}

/** kg (kWh) of a fuel on all measured days of a position. */
function totalOf({ burnt, daily, days }: SampledPosition, fuel: FuelId, testDays: number): Decimal {
  if (daily === undefined) return burnt?.[fuel] ?? zero;
  const ratio = daily[fuel];
  return ratio === undefined
    ? zero
    : decimal(ratio.numerator)
        .times(days ?? testDays)
        .div(decimal(ratio.denominator));
}

function quotientOf({ numerator, denominator }: Ratio): Decimal {
  return decimal(numerator).div(decimal(denominator));
}
