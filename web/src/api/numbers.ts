import { fromMicro } from "../../../wire/src/exact.ts";
import { numberFormat } from "../i18n/formats.ts";

/** Write micro-units for a person: grouped, with every digit. */
export function formatMicro(micro: bigint, locale: string, decimals: { least?: number } = {}): string {
  const format = numberFormat(locale, {
    minimumFractionDigits: decimals.least ?? 0,
    maximumFractionDigits: 6,
  });
  // Decimal text goes through Intl without ever being a floating-point number.
  return format.format(fromMicro(micro) as Intl.StringNumericLiteral);
}
