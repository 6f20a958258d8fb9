import type { Context } from "ponder:registry";
import { scheme } from "ponder:schema";

/** Key of the one row of `scheme`. */
export const schemeKey = { id: "scheme" } as const;

/** The one row of `scheme` before anything is set. */
const initialScheme = {
  ...schemeKey,
  householdAuthorizationRequired: false,
  operatorCap: null,
  disputeStake: null,
  itmoDailyCap: null,
  lifecycleCap: null,
  pinCap: null,
  defaultUnconsentedCap: null,
  day: null,
} as const;

/** Update the one row of `scheme`. */
export async function setScheme(
  db: Context["db"],
  change: Partial<Omit<typeof scheme.$inferInsert, "id">>,
): Promise<void> {
  await db
    .insert(scheme)
    .values({ ...initialScheme, ...change })
    .onConflictDoUpdate(change);
}
