import { type Decimal, decimal } from "../../emissions/index.ts";

/** Micro-CARBON in a tonne: 1 CARBON is 1 kg CO2e. */
const microPerTonne = decimal(1_000_000_000);

/** A reduction in tCO2e as micro-CARBON, rounded down: never more than was reduced. */
export function microCarbonOf(tonnes: Decimal): bigint {
  return BigInt(tonnes.times(microPerTonne).floor().toFixed(0));
}

/** Equal shares that sum up exactly: what does not divide goes, a millionth each, to the first. */
export function equalShares(total: bigint, count: number): bigint[] {
  const share = total / BigInt(count);
  const rest = Number(total % BigInt(count));
  return Array.from({ length: count }, (_, index) => (index < rest ? share + 1n : share));
}
