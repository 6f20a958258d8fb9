/** What the weather tool says of the conditions, in English. */
export type Conditions =
  | "rainy season"
  | "some rain"
  | "mostly dry"
  | "clear sky"
  | "partly cloudy"
  | "overcast"
  | "fog"
  | "drizzle"
  | "rain"
  | "snow"
  | "rain showers"
  | "snow showers"
  | "thunderstorm"
  | "unknown";
