import { eq, lt } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { Actor } from "../../platform/http/index.ts";
import { oracleAccess } from "./tables.ts";

/** How long the oracle may read for a user unless the user's app renews it, in milliseconds. */
const accessMs = 60 * 60_000;

export type ReadAccessDeps = {
  db: Database;
  clock: { now: () => Date };
  /** Whether the actor's key or session is still valid. */
  isInForce: (actor: Actor) => Promise<boolean>;
};

/**
 * Who lets the oracle read in their name. A person signs in to the API with a key or a wallet, and to the oracle with a DID of the
 * browser; the person connects both. The oracle then reads what the key may read. It never writes with the key's rights.
 */
export class ReadAccess {
  readonly #deps: ReadAccessDeps;

  constructor(deps: ReadAccessDeps) {
    this.#deps = deps;
  }

  /** Let the oracle read as the actor for the user, for an hour. */
  async allow(userDid: string, actor: Actor): Promise<{ expiresAt: Date }> {
    const { db, clock } = this.#deps;
    const expiresAt = new Date(clock.now().getTime() + accessMs);
    const row = { actor, expiresAt };
    await db.delete(oracleAccess).where(lt(oracleAccess.expiresAt, clock.now()));
    await db
      .insert(oracleAccess)
      .values({ userDid, ...row })
      .onConflictDoUpdate({ target: oracleAccess.userDid, set: row });
    return { expiresAt };
  }

  /** End what the actor allowed for a user. */
  async end(userDid: string, { keyId }: Actor): Promise<void> {
    const held = await this.#find(userDid);
    if (held?.actor.keyId !== keyId) return;
    await this.#deps.db.delete(oracleAccess).where(eq(oracleAccess.userDid, userDid));
  }

  /** As whom the oracle reads for a user; undefined unless the user allowed it and the key or session is still valid. */
  async actorOf(userDid: string): Promise<Actor | undefined> {
    const { clock, isInForce } = this.#deps;
    const held = await this.#find(userDid);
    if (held === undefined || held.expiresAt <= clock.now()) return undefined;
    return (await isInForce(held.actor)) ? held.actor : undefined;
  }

  async #find(userDid: string) {
    const [row] = await this.#deps.db.select().from(oracleAccess).where(eq(oracleAccess.userDid, userDid));
    return row;
  }
}
