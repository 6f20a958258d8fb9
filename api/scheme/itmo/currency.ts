/** Codes of ISO 4217, as the platform's own data has them. */
export const currencies = Intl.supportedValuesOf("currency");

/** Most decimals that any currency has. */
export const CURRENCY_DECIMALS = 4;

// Minor units of ISO 4217 where they are not 2. The platform's data has customary ones instead (HUF 0).
const minorUnits: Record<string, number> = Object.fromEntries([
  ..."BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" ").map((code) => [code, 0]),
  ..."BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3]),
  ["CLF", 4],
  ["UYW", 4],
]);

/** Decimals that an amount of a currency may have. */
export function decimalsOf(currency: string): number {
  return minorUnits[currency] ?? 2;
}
