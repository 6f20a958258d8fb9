import { eq } from "drizzle-orm";
import type { Hex } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import type { Database } from "../../../platform/db/index.ts";
import type { BeaconRound } from "./client.ts";
import { campaignBeacons } from "./tables.ts";

/** Rounds of public beacons that took part in draws, verified before they were stored. */
export class BeaconStore {
  readonly #db: Database;
  readonly #known = new BoundedCache<number, BeaconRound>(1_000);

  constructor(db: Database) {
    this.#db = db;
  }

  async find(campaign: number): Promise<BeaconRound | null> {
    return this.#known.through(campaign, async () => {
      const [row] = await this.#db.select().from(campaignBeacons).where(eq(campaignBeacons.campaign, campaign));
      if (row === undefined) return null;
      return { round: row.round, signature: row.signature as Hex, randomness: row.randomness as Hex };
    });
  }

  async save(campaign: number, round: BeaconRound): Promise<void> {
    await this.#db
      .insert(campaignBeacons)
      .values({ campaign, ...round })
      .onConflictDoNothing();
  }
}
