import { randomBytes } from "node:crypto";
import { and, eq, isNull, lt } from "drizzle-orm";
import { bytesToHex, type Hex } from "viem";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/index.ts";
import { sealedColumns } from "../../../platform/sealed-columns.ts";
import { createSecretBox, type SealingKeys } from "../../../platform/secret-box.ts";
import { campaignDrawSecrets } from "../tables.ts";

export const sealedDrawColumns = sealedColumns(campaignDrawSecrets, "draw", ["sealedSecret"]);

type DrawSecretsSource = { db: Database; clock: Clock; sealingKeys: SealingKeys };

/** Open the store of this service's secrets for draws. */
export function openDrawSecrets({ db, clock, sealingKeys }: DrawSecretsSource) {
  const box = createSecretBox(sealingKeys, "draw");
  async function find(campaign: number, round: number): Promise<Hex | null> {
    const one = and(eq(campaignDrawSecrets.campaign, campaign), eq(campaignDrawSecrets.round, round));
    const [row] = await db.select().from(campaignDrawSecrets).where(one);
    return row ? (box.open(row.sealedSecret) as Hex) : null;
  }
  return {
    find,
    /** List the rounds whose secret was stored before `until` and may still have to be revealed. */
    async unsettled(until: Date): Promise<{ campaign: number; round: number }[]> {
      const { campaign, round, createdAt, settledAt } = campaignDrawSecrets;
      return db
        .select({ campaign, round })
        .from(campaignDrawSecrets)
        .where(and(isNull(settledAt), lt(createdAt, until)));
    },
    /** Mark a secret that needs no reveal any more. */
    async settle(campaign: number, round: number): Promise<void> {
      const one = and(eq(campaignDrawSecrets.campaign, campaign), eq(campaignDrawSecrets.round, round));
      await db.update(campaignDrawSecrets).set({ settledAt: clock.now() }).where(one);
    },
    /** Find the secret of a round, or store a new one of 32 random bytes. */
    async findOrCreate(campaign: number, round: number): Promise<Hex> {
      const sealedSecret = box.seal(bytesToHex(randomBytes(32)));
      const row = { campaign, round, sealedSecret, createdAt: clock.now() };
      await db.insert(campaignDrawSecrets).values(row).onConflictDoNothing();
      const secret = await find(campaign, round);
      if (secret === null) throw new Error(`The secret for the draw of campaign ${campaign} was not stored.`);
      return secret;
    },
  };
}
export type DrawSecrets = ReturnType<typeof openDrawSecrets>;
