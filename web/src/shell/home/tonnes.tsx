import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import { numberFormat } from "../../i18n/formats.ts";
import { localeOf } from "../../i18n/i18n.ts";

/** Tonnes with at most three decimals; all digits are in the title. */
export function Tonnes({ value }: { value: Decimal }) {
  const { t, i18n } = useTranslation();
  // Intl formats decimal text without converting it to floating point.
  const format = (decimals: number) =>
    numberFormat(localeOf(i18n.language), { maximumFractionDigits: decimals }).format(
      String(value) as Intl.StringNumericLiteral,
    );
  return (
    <span title={t("common.unit.tonnes", { amount: format(9) })}>{t("common.unit.tonnes", { amount: format(3) })}</span>
  );
}
