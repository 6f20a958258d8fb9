import { zeroHash } from "viem";
// Not from the feature's entry: that would load the HTTP server's modules into `npm start`.
import type { Decimal } from "../../api/scheme/emissions/decimal.ts";
import { defaultFigures } from "../../api/scheme/emissions/default-figures.ts";
import { methods } from "../../api/scheme/emissions/methods/registry.ts";

/** An entry of the list of parameters, see IParameters.sol. */
export type ParameterEntry = {
  kind: string;
  key: string;
  value: bigint;
  decimals: number;
  unit: string;
  source: string;
  sourceHash: `0x${string}`;
  validFrom: number;
  validTo: number;
};

const common = { sourceHash: zeroHash, validFrom: 0, validTo: 0 } as const;

/** What a new list starts with: the published defaults, and the methods with their versions. */
export const defaultParameters: readonly ParameterEntry[] = [
  ...defaultFigures().map(({ kind, key, value, unit, source }) => entryOf({ kind, key, unit, source }, value)),
  ...[...methods.values()].map(({ id, version, title }): ParameterEntry => {
    const [whole = "0", decimals = ""] = version.split(".");
    const value = BigInt(whole + decimals);
    return { ...common, kind: "method", key: id, value, decimals: decimals.length, unit: "version", source: title };
  }),
  registry("Gold Standard", "https://registry.goldstandard.org"),
  registry("Verra", "https://registry.verra.org"),
];

function entryOf(named: Pick<ParameterEntry, "kind" | "key" | "unit" | "source">, value: Decimal): ParameterEntry {
  const decimals = value.decimalPlaces();
  return { ...common, ...named, value: BigInt(value.times(10 ** decimals).toFixed(0)), decimals };
}

function registry(key: string, source: string): ParameterEntry {
  return { ...common, kind: "registry", key, value: 0n, decimals: 0, unit: "", source };
}
