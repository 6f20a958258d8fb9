import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { smaller } from "../../indexer/lib/bigints.ts";
import { lotsBehind, tonne } from "../../indexer/lib/lots.ts";

type Database = {
  query(text: string): Promise<unknown>;
  execute(statement: unknown): Promise<{ rows: unknown[] }>;
  close(): Promise<void>;
};

/** The embedded database and the Drizzle that Ponder has. */
async function openDatabase(): Promise<Database> {
  const ponder = createRequire(import.meta.resolve("ponder"));
  const load = (name: string) => import(pathToFileURL(ponder.resolve(name)).href.replace(/\.cjs$/, ".js"));
  const [{ PGlite }, { drizzle }] = await Promise.all([load("@electric-sql/pglite"), load("drizzle-orm/pglite")]);
  const instance = new PGlite();
  const { execute } = drizzle(instance);
  return {
    query: (text) => instance.exec(text),
    execute: execute.bind(drizzle(instance)),
    close: () => instance.close(),
  };
}

const accounts = ["0xa", "0xb", "0xc"];
const escrow = "0xe";
/** Micro-CARBON that a piece came with, by the release that it left escrow with. */
type Piece = { release: number; amount: bigint };

/** Accounts as queues, told movement by movement; the rows are what the indexer would have written. */
class Ledger {
  rows: string[] = [];
  #queues = new Map<string, Piece[]>();
  #sent = new Map<string, bigint>();
  #received = new Map<string, bigint>();

  balance = (account: string): bigint =>
    (this.#queues.get(account) ?? []).reduce((sum, { amount }) => sum + amount, 0n);

  release(to: string, amount: bigint): void {
    this.#write(escrow, to, amount, this.rows.length + 1);
    this.#give(to, [{ release: this.rows.length, amount }]);
  }

  move(from: string, to: string, amount: bigint): void {
    const queue = this.#queues.get(from) ?? [];
    const taken: Piece[] = [];
    for (let left = amount; left > 0n; ) {
      const first = queue[0];
      if (first === undefined) throw new Error(`${from} has too little`);
      const part = smaller(first.amount, left);
      taken.push({ release: first.release, amount: part });
      if (part === first.amount) queue.shift();
      else first.amount -= part;
      left -= part;
    }
    this.#write(from, to, amount, null);
    this.#give(to, taken);
  }

  held = (account: string): Piece[] => joined(this.#queues.get(account) ?? []);

  #give(to: string, pieces: Piece[]): void {
    this.#queues.set(to, [...(this.#queues.get(to) ?? []), ...pieces]);
  }

  #write(from: string, to: string, amount: bigint, certificate: number | null): void {
    const fromOffset = this.#sent.get(from) ?? 0n;
    const toOffset = this.#received.get(to) ?? 0n;
    this.#sent.set(from, fromOffset + amount);
    this.#received.set(to, toOffset + amount);
    const n = this.rows.length + 1;
    this.rows.push(`(${n}, '${from}', '${to}', ${amount}, ${fromOffset}, ${toOffset}, ${certificate}, null, ${n})`);
  }
}

/** Neighbours of one release as one. */
function joined(pieces: Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const { release, amount } of pieces) {
    const last = whole.at(-1);
    if (last?.release === release) last.amount += amount;
    else whole.push({ release, amount });
  }
  return whole;
}

const index = 1;
const publicId = "CONV-1";

describe("the lots behind a conversion", () => {
  let database: Database;
  before(async () => {
    database = await openDatabase();
    await database.query(`create table carbon_move (sequence bigint primary key, from_account text, to_account text,
      amount numeric(78), from_offset numeric(78), to_offset numeric(78), certificate integer, redemption numeric(78),
      voucher numeric(78)); create index on carbon_move (to_account, to_offset);`);
  });
  after(() => database?.close());

  async function lotsOf(ledger: Ledger, bounds: { tonnes: bigint; pieces: number }) {
    await database.query(`truncate carbon_move; insert into carbon_move values ${ledger.rows.join(", ")}`);
    const queries = { execute: async (statement: unknown) => (await database.execute(statement)).rows };
    const conversion = { index, publicId, amount: ledger.balance(publicId), firstId: 11n };
    const lots = [];
    for await (const some of lotsBehind(queries, conversion, bounds)) lots.push(...some);
    return lots;
  }

  it("are those that a queue at each account would give, in its order, whatever was moved about before", async () => {
    const amount = fc.bigInt(1n, 3n * tonne);
    const account = fc.nat(2);
    const step = fc.record({ from: fc.option(account), to: account, share: fc.integer({ min: 1, max: 100 }), amount });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), amount, async (steps, last) => {
        const ledger = new Ledger();
        for (const { from, to, share, amount: released } of steps) {
          const sender = from === null ? undefined : accounts[from];
          const held = sender === undefined ? 0n : (ledger.balance(sender) * BigInt(share)) / 100n;
          // To itself too.
          if (sender !== undefined && held > 0n) ledger.move(sender, accounts[to] ?? "", held);
          else ledger.release(accounts[to] ?? "", released);
        }
        ledger.release("0xa", last);
        ledger.move("0xa", publicId, ledger.balance("0xa"));
        const lots = await lotsOf(ledger, { tonnes: 1n, pieces: 1_000 });
        const found = lots.map((lot) => ({ release: Number(lot.releaseSequence), amount: lot.amount }));
        assert.deepEqual(joined(found), ledger.held(publicId));
        let offset = 0n;
        for (const lot of lots) {
          assert.equal(lot.offset, offset);
          assert.equal(lot.firstSerial, 11n + offset / tonne);
          offset += lot.amount;
          assert.equal(lot.lastSerial, 11n + (offset - 1n) / tonne);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are without a certificate where CARBON was cut up beyond the bound, and still add up", async () => {
    const ledger = new Ledger();
    ledger.release("0xa", 1_000n);
    ledger.release("0xb", 1_000n);
    for (let i = 0; i < 200; i += 1) ledger.move(i % 2 === 0 ? "0xa" : "0xb", "0xc", 1n);
    ledger.release("0xc", tonne - 200n);
    ledger.release("0xc", tonne);
    ledger.move("0xc", publicId, 2n * tonne);
    const lots = await lotsOf(ledger, { tonnes: 1n, pieces: 100 });
    assert.deepEqual(
      lots.map(({ amount, certificateIndex }) => [amount, certificateIndex]),
      [
        [tonne, null],
        [tonne, ledger.rows.length - 1],
      ],
    );
    const all = await lotsOf(ledger, { tonnes: 1n, pieces: 1_000 });
    assert.equal(all.length, 202);
    assert.ok(all.every(({ certificateIndex }) => certificateIndex !== null));
  });
});
