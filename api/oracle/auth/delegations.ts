import { eq } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import type { HeldDelegation } from "../wire/turn.ts";
import { oracleDelegations } from "./tables.ts";
import type { TokenVerifier } from "./tokens.ts";

export type Delegations = ReturnType<typeof openDelegations>;
export type GivenDelegation = {
  raw: string;
  issuer?: string | undefined;
  audience?: string | undefined;
  expiration?: number | undefined;
};

type Parts = { db: Database; tokens: TokenVerifier; audiences: readonly string[]; clock: { now: () => Date } };

/** Delegations that users have posted to the oracle. Each user has one: the last. */
export function openDelegations({ db, tokens, audiences, clock }: Parts) {
  const { userDid } = oracleDelegations;
  return {
    /** Store the user's delegation. @throws AppError INVALID_INPUT; FORBIDDEN for another user's */
    async store(user: string, given: GivenDelegation): Promise<{ expiration: number }> {
      const held = await tokens.verify("grant", given.raw).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        throw new AppError("INVALID_INPUT", error.message, { details: inBody(error.details), cause: error });
      });
      if (held.issuer !== user) {
        const details = [
          { path: "raw", rule: "issuer", message: "The delegation's issuer must be the authenticated user." },
        ];
        throw new AppError("FORBIDDEN", "The delegation belongs to another user.", { details });
      }
      requireConsistent(given, held, audiences);
      const { raw, cid, capabilities, expiration } = held;
      const row = { raw, cid, capabilities, expiresAt: new Date(expiration * 1000), storedAt: clock.now() };
      await db
        .insert(oracleDelegations)
        .values({ userDid: user, ...row })
        .onConflictDoUpdate({ target: userDid, set: row });
      return { expiration };
    },

    /** Read the user's delegation and verify it again; null when there is no valid one. */
    async held(user: string): Promise<HeldDelegation | null> {
      const [row] = await db.select().from(oracleDelegations).where(eq(userDid, user));
      return row === undefined ? null : await this.verified(user, row.raw);
    },

    /** Verify a stored delegation again; null when it has expired or was revoked since. */
    async verified(user: string, raw: string): Promise<HeldDelegation | null> {
      try {
        const held = await tokens.verify("grant", raw);
        return held.issuer === user ? held : null;
      } catch (error) {
        if (error instanceof AppError) return null;
        throw error;
      }
    },

    async remove(user: string): Promise<void> {
      await db.delete(oracleDelegations).where(eq(userDid, user));
    },
  };
}

function inBody(details: RuleDetail[]): RuleDetail[] {
  return details.map(({ rule, message }) => ({ path: "raw", rule, message }));
}

/** @throws AppError INVALID_INPUT when the body names another issuer, audience or expiration than the delegation itself */
function requireConsistent(given: GivenDelegation, held: HeldDelegation, audiences: readonly string[]): void {
  const details: RuleDetail[] = [];
  const differs = (path: string) =>
    details.push({ path, rule: "same", message: `The delegation itself has another ${path}.` });
  if (given.issuer !== undefined && given.issuer !== held.issuer) differs("issuer");
  if (given.audience !== undefined && !audiences.includes(given.audience)) differs("audience");
  // Some clients send seconds, others milliseconds.
  const said = given.expiration === undefined ? held.expiration : toSeconds(given.expiration);
  if (Math.abs(said - held.expiration) > 1) differs("expiration");
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The body contradicts the delegation.", { details });
}

function toSeconds(time: number): number {
  return time > 1e11 ? time / 1000 : time;
}
