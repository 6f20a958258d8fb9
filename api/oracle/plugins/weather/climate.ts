import type { Conditions } from "./conditions.ts";

/** Long-term means for one city: temperature in °C and rain in mm, January to December. Rounded, for a rough answer. */
export type Climate = { city: string; latitude: number; longitude: number; meanC: number[]; rainMm: number[] };

const rows: [city: string, latitude: number, longitude: number, meanC: string, rainMm: string][] = [
  ["Lusaka", -15.42, 28.28, "21 21 21 20 18 16 16 18 22 24 23 22", "230 190 110 30 5 0 0 0 2 18 90 190"],
  ["Lilongwe", -13.98, 33.79, "21 21 21 20 17 15 15 17 20 23 23 22", "220 200 130 45 8 1 1 1 3 12 75 180"],
  ["Nairobi", -1.29, 36.82, "19 20 20 19 18 17 16 16 18 19 19 19", "60 50 90 190 120 35 18 22 28 55 150 100"],
  ["Kampala", 0.32, 32.58, "22 23 22 22 21 21 21 21 21 22 22 22", "70 65 130 180 130 75 60 90 100 130 150 100"],
  ["Dar es Salaam", -6.79, 39.21, "28 28 28 27 26 24 24 24 24 26 27 28", "75 65 140 250 160 35 25 25 25 65 110 110"],
  ["Accra", 5.6, -0.19, "28 28 28 28 27 26 25 25 26 27 28 28", "15 30 65 95 140 190 60 25 60 70 30 20"],
  ["Kigali", -1.94, 30.06, "20 20 20 20 20 20 20 21 21 20 19 19", "75 100 115 160 95 20 10 35 85 105 115 80"],
  ["Maputo", -25.97, 32.58, "26 26 25 23 21 19 19 20 21 23 24 25", "150 130 100 55 30 20 20 15 35 55 80 100"],
  ["Dhaka", 23.81, 90.41, "19 22 26 29 29 29 29 29 29 27 24 20", "8 25 60 145 300 350 375 320 300 170 30 10"],
  ["Kathmandu", 27.72, 85.32, "11 13 17 20 22 24 24 24 23 20 16 12", "15 20 35 60 120 245 365 330 200 50 8 12"],
  ["London", 51.51, -0.13, "5 6 8 10 13 16 19 19 16 12 8 6", "60 45 45 45 50 50 45 55 50 70 65 60"],
  ["Berlin", 52.52, 13.41, "1 2 5 10 14 18 20 19 15 10 5 2", "45 35 40 35 50 65 70 60 45 45 45 45"],
  ["Addis Ababa", 9.03, 38.74, "16 17 18 18 18 17 16 16 16 16 15 15", "15 35 65 85 85 130 250 270 150 35 8 8"],
  ["Harare", -17.83, 31.05, "21 21 20 19 16 14 14 16 20 22 22 21", "190 170 100 40 10 3 1 2 8 35 95 180"],
  ["Lagos", 6.52, 3.38, "28 29 29 28 28 26 26 25 26 27 28 28", "15 45 90 145 215 315 245 110 180 155 60 20"],
  ["Abuja", 9.06, 7.49, "26 28 30 29 27 26 25 25 25 26 27 26", "2 5 15 65 140 180 220 260 280 125 10 2"],
  ["Kinshasa", -4.44, 15.27, "26 27 27 27 26 24 23 23 25 26 26 26", "140 145 190 215 140 8 3 3 35 135 235 170"],
  ["Bamako", 12.64, -8, "25 28 31 32 31 28 26 26 26 28 27 25", "1 1 3 25 60 130 210 240 170 65 5 1"],
  ["Dakar", 14.72, -17.47, "21 21 21 22 23 26 27 27 27 27 26 23", "1 1 0 0 0 12 65 170 140 40 3 1"],
  ["Antananarivo", -18.88, 47.51, "21 21 21 20 18 16 15 15 17 20 20 21", "270 255 185 50 20 8 10 10 10 65 165 300"],
  ["New Delhi", 28.61, 77.21, "14 17 23 29 33 33 31 30 29 26 20 15", "20 20 15 10 20 70 200 200 120 15 5 8"],
  ["Phnom Penh", 11.56, 104.92, "26 28 29 30 29 29 28 28 28 27 27 26", "10 10 40 75 135 155 170 160 225 255 125 30"],
  ["Vientiane", 17.97, 102.63, "22 25 27 29 29 28 28 28 27 27 25 22", "8 15 35 85 245 275 270 330 295 75 15 5"],
  ["Guatemala City", 14.63, -90.51, "18 18 20 20 21 20 20 20 20 19 19 18", "4 4 6 25 125 275 200 195 235 125 45 8"],
];

const numbers = (text: string) => text.split(" ").map(Number);
const keyOf = (name: string) => name.normalize("NFKD").replace(/\p{M}/gu, "").trim().toLowerCase().replace(/\s+/g, " ");

const byName = new Map<string, Climate>(
  rows.map(([city, latitude, longitude, meanC, rainMm]) => [
    keyOf(city),
    { city, latitude, longitude, meanC: numbers(meanC), rainMm: numbers(rainMm) },
  ]),
);

export const climateCities: readonly string[] = rows.map(([city]) => city);

/** Find a city's climate in the table, ignoring case and accents. */
export function climateOf(city: string): Climate | undefined {
  return byName.get(keyOf(city));
}

/** Describe the conditions of a month. */
export function conditionsIn({ rainMm }: Climate, month: number): Conditions {
  const rain = rainMm[month] ?? 0;
  if (rain >= 100) return "rainy season";
  return rain >= 30 ? "some rain" : "mostly dry";
}
