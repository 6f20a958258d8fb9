import countries from "i18n-iso-countries";
import english from "i18n-iso-countries/langs/en.json" with { type: "json" };

countries.registerLocale(english);

/** English names of a country, the usual one first; none for an unknown code. @param code ISO 3166 alpha-3 */
export function namesOfCountry(code: string): string[] {
  const names = countries.getName(code, "en", { select: "all" });
  return names === undefined ? [] : [...names];
}
