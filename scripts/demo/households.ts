import { formatScaled } from "../../wire/src/exact.ts";

/** A household of the demo: a row of the import file and its share of the certificate, in hundredths of a CARBON. */
export type DemoHousehold = {
  did: string;
  region: string;
  men: number;
  women: number;
  children: number;
  elderly: number;
  /** Degrees. */
  latitude: string;
  longitude: string;
  share: number;
};

/** Places near Lusaka, with the latitude and longitude of their middle in millionths of a degree. */
const places = {
  Lusaka: [-15_416_700, 28_283_300],
  Kafue: [-15_769_100, 28_181_400],
  Chongwe: [-15_329_200, 28_682_000],
  Chilanga: [-15_560_000, 28_270_000],
  Rufunsa: [-15_090_000, 29_640_000],
} as const;
const regions = Object.keys(places) as (keyof typeof places)[];
/** Households are at most this far from the middle, in millionths of a degree: 4 km. */
const farthest = 36_000;

/** mulberry32: the same seed gives the same households on every machine. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** `count` households; `run` keeps those of one demo apart from another's in the same system. */
export function makeHouseholds(count: number, seed: number, run: string): DemoHousehold[] {
  const random = randomFrom(seed);
  const ofPlace = randomFrom(seed + 1);
  const near = (middle: number) => formatScaled(BigInt(middle + ofPlace(2 * farthest + 1) - farthest), 6);
  return Array.from({ length: count }, (_, index) => {
    const region = regions[random(regions.length)] as keyof typeof places;
    const [latitude, longitude] = places[region];
    return {
      did: `did:ixo:household/${run}-${String(index + 1).padStart(4, "0")}`,
      region,
      men: random(3),
      women: 1 + random(2),
      children: random(6),
      elderly: random(2),
      latitude: near(latitude),
      longitude: near(longitude),
      share: 2_000 + random(8_001),
    };
  });
}

/** The file that POST /v1/households/import reads. */
export function toCsv(households: readonly DemoHousehold[]): string {
  const rows = households.map(({ did, region, men, women, children, elderly, latitude, longitude }) =>
    [did, "", region, men, women, children, elderly, latitude, longitude].join(","),
  );
  return `did,account,region,men,women,children,elderly,latitude,longitude\n${rows.join("\n")}\n`;
}
