import { eq } from "drizzle-orm";
import type { Database } from "../../platform/db/client.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { oracleDelegations } from "../tables.ts";
import type { HeldDelegation } from "../wire/turn.ts";
import type { TokenVerifier } from "./tokens.ts";

export type Delegations = ReturnType<typeof openDelegations>;
export type GivenDelegation = {
  raw: string;
  issuer?: string | undefined;
  audience?: string | undefined;
  expiration?: number | undefined;
};

type Parts = { db: Database; tokens: TokenVerifier; audiences: readonly string[]; clock: { now: () => Date } };

/** What users have delegated to the oracle, one each: the last that they posted. */
export function openDelegations({ db, tokens, audiences, clock }: Parts) {
  const { userDid } = oracleDelegations;
  return {
    /** Keep the user's delegation. @throws AppError INVALID_INPUT, FORBIDDEN for somebody else's */
    async store(user: string, given: GivenDelegation): Promise<{ expiration: number }> {
      const held = await tokens.verify("grant", given.raw).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        throw new AppError("INVALID_INPUT", error.message, { details: inBody(error.details), cause: error });
      });
      if (held.issuer !== user) {
        const details = [
          { path: "raw", rule: "issuer", message: "The delegation's issuer is not who is authenticated." },
        ];
        throw new AppError("FORBIDDEN", "The delegation is somebody else's.", { details });
      }
      refuseContradictions(given, held, audiences);
      const { raw, cid, capabilities, expiration } = held;
      const row = { raw, cid, capabilities, expiresAt: new Date(expiration * 1000), storedAt: clock.now() };
      await db
        .insert(oracleDelegations)
        .values({ userDid: user, ...row })
        .onConflictDoUpdate({ target: userDid, set: row });
      return { expiration };
    },

    /** The user's kept delegation, verified again; null when there is none that holds. */
    async held(user: string): Promise<HeldDelegation | null> {
      const [row] = await db.select().from(oracleDelegations).where(eq(userDid, user));
      return row === undefined ? null : await this.verified(user, row.raw);
    },

    /** What was kept of the user, verified again; null when it has expired or was revoked since. */
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

/** What the caller says beside the delegation must be what it says itself. */
function refuseContradictions(given: GivenDelegation, held: HeldDelegation, audiences: readonly string[]): void {
  const details: RuleDetail[] = [];
  const differs = (path: string) =>
    details.push({ path, rule: "same", message: `The delegation itself says another ${path}.` });
  if (given.issuer !== undefined && given.issuer !== held.issuer) differs("issuer");
  if (given.audience !== undefined && !audiences.includes(given.audience)) differs("audience");
  // Clients count in seconds or milliseconds.
  const said = given.expiration === undefined ? held.expiration : toSeconds(given.expiration);
  if (Math.abs(said - held.expiration) > 1) differs("expiration");
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The body contradicts the delegation.", { details });
}

function toSeconds(time: number): number {
  return time > 1e11 ? time / 1000 : time;
}
