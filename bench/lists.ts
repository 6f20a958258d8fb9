import pg from "pg";
import { benchClaim, campaignId, drawBenchCampaign, planId } from "./campaign-scene.ts";
import { type Figure, percentile, ratioFigure } from "./figures.ts";
import type { BenchStack } from "./stack.ts";

const pages = 300;
const callers = 4;

/** Time of a page of a campaign's claims and of a plan's devices, with `rows` of each in the database. */
export async function benchLists(stack: BenchStack, databaseUrl: string, rows: number): Promise<Figure[]> {
  const [household] = await drawBenchCampaign(stack, 2);
  if (household === undefined) throw new Error("The campaign has no household.");
  await stack.call("POST", "/v1/claims", benchClaim(household, 0));
  const device = { serial: "STOVE", model: "Jiko 2", planId, householdDid: household.householdId };
  await stack.call("POST", "/v1/devices", { ...device, installedOn: "2024-01-01" });
  await fill(databaseUrl, rows);
  return [
    ...(await benchList(stack, `/v1/campaigns/${campaignId}/claims?`, `${rows} claims`)),
    ...(await benchList(stack, `/v1/devices?planId=${planId}&`, `${rows} devices`)),
  ];
}

/** Copy the stored claim, household and device until there are `rows` of each; every device is in another household. */
async function fill(databaseUrl: string, rows: number): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const copies = rows - 1;
  for (const [table, key, changes] of [
    ["kpt_claims", "id", "'position', 10 + i, 'sequence', 1000 + i, 'idempotency_id', null"],
    ["households", "hash", "'did', one.did || '-' || i, 'household', 1000 + i"],
    ["devices", "serial", "'household', 1000 + i"],
  ] as const) {
    const own = `'${key}', one.${key} || '-' || i, ${changes}`;
    await client.query(
      `insert into ${table} select copy.* from (select * from ${table} limit 1) one, generate_series(1, ${copies}) i,
       jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${own})) copy`,
    );
    await client.query(`analyze ${table}`);
  }
  await client.end();
}

/** Times of pages of 100, compared with pages of one item of the same list, which cost little more than the request. */
async function benchList(stack: BenchStack, path: string, what: string): Promise<Figure[]> {
  const [one, hundred] = [await pageTimes(stack, path, 1), await pageTimes(stack, path, 100)];
  return [0.5, 0.99].map((share) => {
    const reference = { name: "a page of 1, ms", value: percentile(one, share) };
    return ratioFigure(`a page of 100 of ${what}, p${100 * share}`, percentile(hundred, share), "ms", reference);
  });
}

async function pageTimes(stack: BenchStack, path: string, limit: number): Promise<number[]> {
  const times: number[] = [];
  let cursor = "";
  let read = 0;
  const caller = async () => {
    while (read < pages) {
      read += 1;
      const begin = performance.now();
      const { items, nextCursor } = await stack.call("GET", `${path}limit=${limit}${cursor}`);
      times.push(performance.now() - begin);
      if ((items as unknown[]).length !== limit) throw new Error(`A page has ${(items as unknown[]).length} items.`);
      cursor = nextCursor === null ? "" : `&cursor=${encodeURIComponent(String(nextCursor))}`;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return times;
}
