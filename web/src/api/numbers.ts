import { fromMicro } from "../../../wire/src/exact.ts";
import { numberFormat } from "../i18n/formats.ts";

/** Format micro-units for display: grouped, with every digit. */
export function formatMicro(micro: bigint, locale: string, decimals: { least?: number } = {}): string {
  const format = numberFormat(locale, {
    minimumFractionDigits: decimals.least ?? 0,
    maximumFractionDigits: 6,
  });
  // Intl formats decimal text without converting it to floating point.
  return format.format(fromMicro(micro) as Intl.StringNumericLiteral);
}
