import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";
import type { Log } from "../../../platform/log.ts";
import { callOutside, OutboundError, type OutboundRules } from "../../../platform/outbound/index.ts";
import { climateCities, climateOf, conditionsIn } from "./climate.ts";
import type { Conditions } from "./conditions.ts";

/** `source`: `forecast` is current, measured or modelled; `climatology` is the long-term mean for this month. */
export type Weather = {
  ok: true;
  city: string;
  temp_c: number;
  units: "celsius";
  conditions: Conditions;
  latitude: number;
  longitude: number;
  source: "forecast" | "climatology";
};

export type WeatherSource = {
  /** URL of an API like Open-Meteo; undefined: the bundled table is used. */
  baseUrl: string | undefined;
  outbound: OutboundRules;
  now: () => Date;
  log: Log;
};

const places = z.object({
  results: z.array(z.object({ name: z.string(), latitude: z.number(), longitude: z.number() })).optional(),
});
const forecast = z.object({ current: z.object({ temperature_2m: z.number(), weather_code: z.number().optional() }) });

/** Longest city name, in characters. */
const maxName = 120;

/**
 * Read the current weather in a city. @throws AppError INVALID_INPUT for a blank name; NOT_FOUND for an unknown city; UPSTREAM
 * when the API fails for a city that is not in the table
 */
export async function weatherNow(source: WeatherSource, asked: string | undefined): Promise<Weather> {
  const name = asked?.trim() ?? "";
  if (name === "" || name.length > maxName) {
    const message = `Name a city in ?city=, of 1 to ${maxName} characters.`;
    throw new AppError("INVALID_INPUT", message, { details: [{ path: "city", rule: "city-named", message }] });
  }
  if (source.baseUrl === undefined)
    return fromTable(source, name) ?? unknown(name, ` Known are: ${climateCities.join(", ")}.`);
  try {
    return (await fromApi(source, source.baseUrl, name)) ?? unknown(name);
  } catch (error) {
    if (error instanceof AppError) throw error;
    source.log.warn({ err: error }, "the weather API failed");
    const rough = fromTable(source, name);
    if (rough !== undefined) return rough;
    throw new AppError("UPSTREAM", "The weather service did not answer as it should.", { cause: error });
  }
}

function unknown(name: string, more = ""): never {
  throw new AppError("NOT_FOUND", `No weather is known for "${name}".${more}`);
}

function fromTable({ now }: WeatherSource, name: string): Weather | undefined {
  const climate = climateOf(name);
  if (climate === undefined) return undefined;
  const month = now().getUTCMonth();
  const { city, latitude, longitude, meanC } = climate;
  const conditions = conditionsIn(climate, month);
  return {
    ok: true,
    city,
    temp_c: meanC[month] ?? 0,
    units: "celsius",
    conditions,
    latitude,
    longitude,
    source: "climatology",
  };
}

async function fromApi(source: WeatherSource, baseUrl: string, name: string): Promise<Weather | undefined> {
  const found = await ask(source, `${baseUrl}/v1/search?name=${encodeURIComponent(name)}&count=1`, places);
  const [place] = found.results ?? [];
  if (place === undefined) return undefined;
  const { latitude, longitude } = place;
  const at = `latitude=${latitude}&longitude=${longitude}`;
  const { current } = await ask(source, `${baseUrl}/v1/forecast?${at}&current=temperature_2m,weather_code`, forecast);
  const conditions = wordsOf(current.weather_code);
  return {
    ok: true,
    city: place.name,
    temp_c: current.temperature_2m,
    units: "celsius",
    conditions,
    latitude,
    longitude,
    source: "forecast",
  };
}

async function ask<T>({ outbound }: WeatherSource, url: string, schema: z.ZodType<T>): Promise<T> {
  const { status, body } = await callOutside(url, { timeoutMs: 8_000, maxBytes: 200_000, maxRedirects: 2 }, outbound);
  if (status !== 200) throw new OutboundError(`answered ${status}`);
  return schema.parse(JSON.parse(body.toString()));
}

/** Codes of WMO table 4677 that weather APIs use. */
const wmo: [upTo: number, words: Conditions][] = [
  [0, "clear sky"],
  [2, "partly cloudy"],
  [3, "overcast"],
  [48, "fog"],
  [57, "drizzle"],
  [67, "rain"],
  [77, "snow"],
  [82, "rain showers"],
  [86, "snow showers"],
  [99, "thunderstorm"],
];

function wordsOf(code: number | undefined): Conditions {
  return wmo.find(([upTo]) => code !== undefined && code <= upTo)?.[1] ?? "unknown";
}
