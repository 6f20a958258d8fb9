import { and, asc, eq, gt, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import { type HouseholdRow, households } from "./tables.ts";

/** A row whose registration is on chain. */
export type RegisteredHousehold = HouseholdRow & { household: number };

/** A household's index on chain; the transaction is null for a household that was registered earlier. */
export type PlaceOnChain = { household: number; transactionHash: Hex | null };

/** Which households a list has; an undefined part does not restrict it. */
export type HouseholdFilter = {
  region?: string | undefined;
  registeredBy?: string | undefined;
  dids?: string[] | undefined;
};

/** PostgreSQL takes at most 65 535 parameters in a statement. */
const HASHES_PER_STATEMENT = 2_000;

export function openHouseholdStore(db: Database) {
  return {
    async byHash(hash: string): Promise<HouseholdRow | null> {
      return (await db.select().from(households).where(eq(households.hash, hash)))[0] ?? null;
    },
    async byHashes(hashes: string[]): Promise<HouseholdRow[]> {
      const found: HouseholdRow[] = [];
      for (let i = 0; i < hashes.length; i += HASHES_PER_STATEMENT) {
        const some = hashes.slice(i, i + HASHES_PER_STATEMENT);
        found.push(...(await db.select().from(households).where(inArray(households.hash, some))));
      }
      return found;
    },
    /** Hashes without a complete row. It takes a fifth of the time of reading the rows. */
    async missing(hashes: string[]): Promise<string[]> {
      const { rows } = await db.execute(sql`
        select given.hash from jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb) as given(hash)
        where not exists (select from ${households} h where h.hash = given.hash and h.household is not null)`);
      return rows.map(({ hash }) => String(hash));
    },
    async countRegistered(): Promise<number> {
      return await db.$count(households, isNotNull(households.household));
    },
    async byIndexes(indexes: number[]): Promise<RegisteredHousehold[]> {
      if (indexes.length === 0) return [];
      return (await db.select().from(households).where(inArray(households.household, indexes))).filter(isRegistered);
    },
    /** Registered rows after an index, in the order of the index. */
    async listAfter(index: number, limit: number, only: HouseholdFilter): Promise<RegisteredHousehold[]> {
      const rows = await db
        .select()
        .from(households)
        .where(and(gt(households.household, index), ...conditionsOf(only)))
        .orderBy(asc(households.household))
        .limit(limit);
      return rows.filter(isRegistered);
    },
    /** Store a registration before its transaction; replace an earlier one that never reached the chain. */
    async savePending(row: HouseholdRow): Promise<void> {
      const { hash: _, ...rest } = row;
      const replace = { target: households.hash, set: rest, setWhere: isNull(households.household) };
      await db.insert(households).values(row).onConflictDoUpdate(replace);
    },
    /** Store the index on chain; false when it was stored before. */
    async complete(hash: string, household: number, transactionHash: string | null): Promise<boolean> {
      const changed = await db
        .update(households)
        .set({ household, transactionHash })
        .where(and(eq(households.hash, hash), isNull(households.household)))
        .returning({ hash: households.hash });
      return changed.length === 1;
    },
    /** Overwrite the row with the values of the request whose transaction registered the household. */
    async saveWinner(row: RegisteredHousehold): Promise<void> {
      const { hash: _, ...rest } = row;
      await db.insert(households).values(row).onConflictDoUpdate({ target: households.hash, set: rest });
    },
    /** As savePending, for many rows; an earlier row stays unchanged. Events about the households need the rows. */
    async saveManyPending(rows: HouseholdRow[]): Promise<void> {
      if (rows.length === 0) return;
      // One parameter for all rows: a parameter for each cell takes longer to send than to insert.
      await db.execute(sql`
        insert into ${households} (hash, did, household, account, region, men, women, children, elderly, registered_by,
          transaction_hash, created_at)
        select * from jsonb_to_recordset(${JSON.stringify(rows.map(inColumns))}::jsonb) as given(
          hash text, did text, household int, account text, region text, men int, women int, children int, elderly int,
          registered_by text, transaction_hash text, created_at timestamptz)
        on conflict (hash) do nothing`);
    },
    /** As complete, for many rows. */
    async completeMany(places: ({ hash: Hex } & PlaceOnChain)[], within: Transaction): Promise<void> {
      if (places.length === 0) return;
      await within.execute(sql`
        update ${households} h set household = given.household, transaction_hash = given."transactionHash"
        from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as given(hash text, household int, "transactionHash" text)
        where h.hash = given.hash and h.household is null`);
    },
  };
}
export type HouseholdStore = ReturnType<typeof openHouseholdStore>;

export function conditionsOf({ region, registeredBy, dids }: HouseholdFilter): SQL[] {
  return [
    ...(region === undefined ? [] : [eq(households.region, region)]),
    ...(registeredBy === undefined ? [] : [eq(households.registeredBy, registeredBy)]),
    ...(dids === undefined ? [] : [isOf(dids)]),
  ];
}

export function isRegistered(row: HouseholdRow): row is RegisteredHousehold {
  return row.household !== null;
}

/** Households of these DIDs, or that implementers of these DIDs registered. */
function isOf(dids: string[]): SQL {
  return or(inArray(households.did, dids), inArray(households.registeredBy, dids)) as SQL;
}

/** Map a row to its column names, in the table's order. */
function inColumns({ registeredBy, transactionHash, createdAt, ...row }: HouseholdRow) {
  return { ...row, registered_by: registeredBy, transaction_hash: transactionHash, created_at: createdAt };
}
