import type { AmountsOwed, Problems, VoucherCounts } from "../../plugins/indexer/figures.ts";
import type { WhereIs } from "../../plugins/indexer/where-is.ts";

export type Language = "en" | "fr" | "pt" | "sw";

/** A voucher as the API or the index gives it. */
export type VoucherFacts = {
  id: string;
  status: string;
  value: string;
  remaining: string;
  expiryDate: string;
};

export type WeatherFacts = { city: string; degrees: number; conditions: string; isMean: boolean };

/** The sentences of the offline answers in one language. `link` makes an id a link to its trace. */
export type Words = {
  count: (counts: VoucherCounts, asked: string | undefined) => string;
  voucher: (voucher: VoucherFacts, link: Link) => string;
  where: (found: WhereIs, link: Link) => string;
  owed: (amounts: AmountsOwed) => string;
  problems: (found: Problems) => string;
  weather: (weather: WeatherFacts) => string;
  whichVoucher: string;
  whichId: string;
  whichCity: string;
  failed: (why: string) => string;
  unclear: string;
  understood: string;
  examples: readonly string[];
  /** Names a capability that fits a text which the rules do not cover. */
  fits: (title: string) => string;
  /** Says that no language model answers. */
  offline: string;
};
export type Link = (id: string) => string;

/** Words for states. A state that is not listed is shown as it is. */
export type StateWords = { [state: string]: string };

/** Formats of numbers, lists and dates in a language. Decimal text gets its separators; every digit stays. */
export function formatsIn(language: string) {
  const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  const whole = new Intl.NumberFormat(language);
  const conjunction = new Intl.ListFormat(language, { type: "conjunction" });
  const day = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  return {
    amount: (text: string) => decimal.format(text as Intl.StringNumericLiteral),
    number: (count: number) => whole.format(count),
    list: (parts: string[]) => conjunction.format(parts),
    date: (date: string) => day.format(new Date(date)),
  };
}
