import { useTranslation } from "react-i18next";
import { formatScaled } from "../../../wire/src/exact.ts";
import { localeOf } from "../i18n/i18n.ts";

/** An exact amount of money: millionths of a currency of ISO 4217. */
export type Sum = { micro: bigint; currency: string };

/** Return a function that formats money in the reader's language, with every digit. */
export function useMoneyText(): (sum: Sum) => string {
  const { i18n } = useTranslation();
  return ({ micro, currency }) => {
    const format = new Intl.NumberFormat(localeOf(i18n.language), { style: "currency", currency });
    // Decimal text is formatted exactly; a number would pass through floating point.
    return format.format(formatScaled(micro, 6) as `${number}`);
  };
}
