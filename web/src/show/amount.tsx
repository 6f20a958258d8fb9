import { useTranslation } from "react-i18next";
import { type Decimal, fromMicro, toMicro } from "../../../wire/src/exact.ts";
import { formatMicro } from "../api/numbers.ts";
import { localeOf } from "../i18n/i18n.ts";

type Unit = "carbon" | "stablecoin" | "kg" | "tonnes";
type AmountProps = { unit?: Unit } & ({ micro: bigint | string } | { value: Decimal });

/** An exact amount: `micro` in micro-units (as in the index), or `value` as decimal text (as in the API). */
export function Amount({ unit, ...amount }: AmountProps) {
  const exact = "micro" in amount ? fromMicro(BigInt(amount.micro)) : String(amount.value);
  return (
    <data value={exact} style={{ fontVariantNumeric: "tabular-nums" }}>
      {useAmountText()(amount, unit)}
    </data>
  );
}

/** Return a function that formats an amount as text, such as for a label. */
export function useAmountText(): (amount: { micro: bigint | string } | { value: Decimal }, unit?: Unit) => string {
  const { t, i18n } = useTranslation();
  return (amount, unit) => {
    const micro = "micro" in amount ? BigInt(amount.micro) : toMicro(amount.value);
    const text = formatMicro(micro, localeOf(i18n.language), unit === "stablecoin" ? { least: 2 } : {});
    return unit === undefined ? text : t(`common.unit.${unit}`, { amount: text });
  };
}
