/** Currency codes of ISO 4217, from `Intl`. */
export const currencies = Intl.supportedValuesOf("currency");

/** Largest number of decimals of any currency. */
export const CURRENCY_DECIMALS = 4;

// Minor units of ISO 4217 where they are not 2. `Intl` has customary ones instead (HUF 0).
const minorUnits: Record<string, number> = Object.fromEntries([
  ..."BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" ").map((code) => [code, 0]),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3]),
  ["CLF", 4],
  ["UYW", 4],
]);

/** Return how many decimals an amount of a currency may have. */
export function decimalsOf(currency: string): number {
  return minorUnits[currency] ?? 2;
}
