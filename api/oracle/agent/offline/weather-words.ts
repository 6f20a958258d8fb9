import type { Conditions } from "../../plugins/weather/conditions.ts";
import type { Language } from "./words.ts";

type Translated = Exclude<Language, "en">;

const translations: Record<Conditions, Record<Translated, string>> = {
  "rainy season": { fr: "saison des pluies", pt: "época das chuvas", sw: "msimu wa mvua" },
  "some rain": { fr: "un peu de pluie", pt: "alguma chuva", sw: "mvua kiasi" },
  "mostly dry": { fr: "plutôt sec", pt: "sobretudo seco", sw: "kavu kwa kiasi kikubwa" },
  "clear sky": { fr: "ciel dégagé", pt: "céu limpo", sw: "anga safi" },
  "partly cloudy": { fr: "partiellement nuageux", pt: "parcialmente nublado", sw: "mawingu kiasi" },
  overcast: { fr: "couvert", pt: "encoberto", sw: "mawingu mengi" },
  fog: { fr: "brouillard", pt: "nevoeiro", sw: "ukungu" },
  drizzle: { fr: "bruine", pt: "chuvisco", sw: "manyunyu" },
  rain: { fr: "pluie", pt: "chuva", sw: "mvua" },
  snow: { fr: "neige", pt: "neve", sw: "theluji" },
  "rain showers": { fr: "averses", pt: "aguaceiros", sw: "mvua za vipindi" },
  "snow showers": { fr: "averses de neige", pt: "aguaceiros de neve", sw: "theluji ya vipindi" },
  thunderstorm: { fr: "orage", pt: "trovoada", sw: "mvua ya radi" },
  unknown: { fr: "conditions inconnues", pt: "condições desconhecidas", sw: "hali haijulikani" },
};

/** Say conditions in a language; words that are not known stay as they are. */
export function conditionsIn(language: Translated, words: string): string {
  const known: Partial<Record<string, Record<Translated, string>>> = translations;
  return known[words]?.[language] ?? words;
}
