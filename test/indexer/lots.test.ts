import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { larger, smaller } from "../../indexer/lib/bigints.ts";
import { releasesBehind, type TakenLot, tonne } from "../../indexer/lib/lots.ts";
import { openInMemory } from "../../indexer/reader/pglite.ts";

type Database = {
  query(text: string): Promise<unknown>;
  execute(statement: unknown): Promise<{ rows: unknown[] }>;
  close(): Promise<void>;
};

/** The embedded database and the Drizzle that Ponder has. */
async function openDatabase(): Promise<Database> {
  const ponder = createRequire(import.meta.resolve("ponder"));
  const load = (name: string) => import(pathToFileURL(ponder.resolve(name)).href.replace(/\.cjs$/, ".js"));
  const [instance, { drizzle }] = await Promise.all([openInMemory(), load("drizzle-orm/pglite")]);
  const { execute } = drizzle(instance);
  return {
    query: (text) => instance.exec(text),
    execute: execute.bind(drizzle(instance)),
    close: () => instance.close(),
  };
}

const certificate = 7;
const base = { conversionIndex: 3, firstId: 11n, certificateIndex: certificate };

describe("the releases behind a conversion's lot", () => {
  let database: Database;
  before(async () => {
    database = await openDatabase();
    await database.query(`create table carbon_move (sequence bigint primary key, amount numeric(78),
      certificate integer, certificate_offset numeric(78), redemption numeric(78), voucher numeric(78));
      create index on carbon_move (certificate, certificate_offset);`);
  });
  after(() => database?.close());

  /** Writes the releases of the certificate, each with its number, between some of another certificate. */
  async function write(releases: bigint[]): Promise<void> {
    let offset = 0n;
    const rows = releases.flatMap((amount, i) => {
      const own = `(${2 * i + 1}, ${amount}, ${certificate}, ${offset}, ${i % 2 === 0 ? i : null}, ${100 + i})`;
      offset += amount;
      return [own, `(${2 * i + 2}, 5, ${certificate + 1}, ${5 * i}, null, 1)`];
    });
    await database.query(`truncate carbon_move; insert into carbon_move values ${rows.join(", ")}`);
  }

  async function lotsOf(lot: TakenLot, page?: number) {
    const queries = { execute: async (statement: unknown) => (await database.execute(statement)).rows };
    const lots = [];
    for await (const some of releasesBehind(queries, lot, page)) lots.push(...some);
    return lots;
  }

  it("are what was released first of the certificate, after what became ITMOs before", async () => {
    const amounts = fc.array(fc.bigInt(1n, 2n * tonne), { minLength: 1, maxLength: 12 });
    const share = fc.bigInt(0n, 1_000n);
    await fc.assert(
      fc.asyncProperty(amounts, share, share, fc.bigInt(0n, 9n * tonne), async (releases, from, to, offset) => {
        await write(releases);
        const all = releases.reduce((sum, amount) => sum + amount, 0n);
        const start = (all * smaller(from, to)) / 1_001n;
        const end = larger((all * larger(from, to)) / 1_001n, start + 1n);
        const lots = await lotsOf({ ...base, offset, amount: end - start, certificateOffset: start }, 2);
        const expected = [];
        let position = 0n;
        for (const [i, amount] of releases.entries()) {
          const [lo, hi] = [larger(position, start), smaller(position + amount, end)];
          position += amount;
          if (lo >= hi) continue;
          const at = offset + lo - start;
          expected.push({
            conversionIndex: 3,
            offset: at,
            amount: hi - lo,
            firstSerial: 11n + at / tonne,
            lastSerial: 11n + (at + hi - lo - 1n) / tonne,
            certificateIndex: certificate,
            redemptionId: i % 2 === 0 ? BigInt(i) : null,
            voucherId: BigInt(100 + i),
            releaseSequence: BigInt(2 * i + 1),
          });
        }
        assert.deepEqual(lots, expected);
      }),
      { numRuns: 60 },
    );
  });

  it("are an error where less was released than the conversion has", async () => {
    await write([4n, 5n]);
    const lot = { ...base, offset: 0n, certificateOffset: 2n };
    assert.equal((await lotsOf({ ...lot, amount: 7n })).length, 2);
    await assert.rejects(lotsOf({ ...lot, amount: 8n }), /has released only 9/);
    await assert.rejects(lotsOf({ ...lot, certificateIndex: 99, amount: 1n }), /has released only 2/);
  });
});
