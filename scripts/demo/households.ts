/** A household of the demo: a row of the import file and its share of the certificate, in hundredths of a CARBON. */
export type DemoHousehold = {
  did: string;
  region: string;
  men: number;
  women: number;
  children: number;
  elderly: number;
  share: number;
};

const regions = ["Lusaka", "Kafue", "Chongwe", "Chilanga", "Rufunsa"];

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
  return Array.from({ length: count }, (_, index) => ({
    did: `did:ixo:household/${run}-${String(index + 1).padStart(4, "0")}`,
    region: regions[random(regions.length)] as string,
    men: random(3),
    women: 1 + random(2),
    children: random(6),
    elderly: random(2),
    share: 2_000 + random(8_001),
  }));
}

/** The file that POST /v1/households/import reads. */
export function toCsv(households: readonly DemoHousehold[]): string {
  const rows = households.map(({ did, region, men, women, children, elderly }) =>
    [did, "", region, men, women, children, elderly].join(","),
  );
  return `did,account,region,men,women,children,elderly\n${rows.join("\n")}\n`;
}
