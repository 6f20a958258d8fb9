import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { and, asc, eq, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import { createSecretBox } from "../../../platform/secret-box.ts";
import { householdPins, type PinChangeRow, type PinRow, pinChanges } from "./tables.ts";

/** Wrong tries after which a PIN is locked. */
export const MAX_TRIES = 5;
const lockMs = 24 * 3_600_000;
/** OWASP's smallest recommended cost of argon2id; memory in KiB. */
const cost = { parallelism: 1, memory: 19_456, passes: 2, tagLength: 32 } as const;
const derive = promisify(argon2);

type Setter = Pick<PinChangeRow, "reason" | "role" | "caller">;

/** The PINs of households: set, checked and locked. Nothing outside sees a PIN or its hash. */
export class Pins {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #pepper: (text: string) => string;

  /** @param schemeKey 64 hexadecimal digits */
  constructor({ db, clock, schemeKey }: { db: Database; clock: Clock; schemeKey: string }) {
    this.#db = db;
    this.#clock = clock;
    this.#pepper = createSecretBox(schemeKey, "pin").hash;
  }

  async of(household: number): Promise<PinRow | null> {
    return (await this.#db.select().from(householdPins).where(eq(householdPins.household, household)))[0] ?? null;
  }

  async changesOf(household: number): Promise<PinChangeRow[]> {
    const found = eq(pinChanges.household, household);
    return this.#db.select().from(pinChanges).where(found).orderBy(asc(pinChanges.number));
  }

  /** Set a household's PIN. It ends a lock. */
  async set(household: number, pin: string, by: Setter): Promise<void> {
    const salt = randomBytes(16).toString("base64url");
    const setAt = this.#clock.now();
    const row = { hash: await this.#hash(household, pin, salt), salt, tries: 0, lockedUntil: null, setAt };
    await this.#db.transaction(async (tx) => {
      await tx
        .insert(householdPins)
        .values({ household, ...row })
        .onConflictDoUpdate({ target: householdPins.household, set: row });
      await tx.insert(pinChanges).values({ household, ...by, at: setAt });
    });
  }

  /**
   * Check a household's PIN and count the try.
   * @returns the broken rules: `pin-set`, `pin-not-locked` or `pin-correct`; none when it is right
   */
  async check(household: number, pin: string): Promise<RuleDetail[]> {
    const known = await this.#takeTry(household);
    if (known === null) return [await this.#whyNoTry(household)];
    const given = Buffer.from(await this.#hash(household, pin, known.salt), "base64url");
    if (timingSafeEqual(given, Buffer.from(known.hash, "base64url"))) {
      const sameRow = and(eq(householdPins.household, household), eq(householdPins.hash, known.hash));
      await this.#db.update(householdPins).set({ tries: 0, lockedUntil: null }).where(sameRow);
      return [];
    }
    const left = MAX_TRIES - known.tries;
    const message =
      left > 0
        ? `The PIN is wrong. ${left} ${left === 1 ? "try is" : "tries are"} left.`
        : "The PIN is wrong. It is locked for 24 hours now; the field team can set a new one.";
    return [{ path: "consent.pin", rule: "pin-correct", message }];
  }

  /**
   * Count a try before it is checked, so that guesses at the same time are not more than five. The fifth locks the PIN
   * until it turns out to be right.
   */
  async #takeTry(household: number): Promise<PinRow | null> {
    const now = this.#clock.now();
    const isOver = lte(householdPins.lockedUntil, now);
    const isOpen = or(isOver, and(isNull(householdPins.lockedUntil), lt(householdPins.tries, MAX_TRIES)));
    const nowText = sql`${now.toISOString()}::timestamptz`;
    const tries = sql<number>`case when ${householdPins.lockedUntil} <= ${nowText} then 1 else ${householdPins.tries} + 1 end`;
    const until = sql`${new Date(now.getTime() + lockMs).toISOString()}::timestamptz`;
    const [row] = await this.#db
      .update(householdPins)
      .set({ tries, lockedUntil: sql`case when (${tries}) >= ${MAX_TRIES}::int then ${until} end` })
      .where(and(eq(householdPins.household, household), isOpen))
      .returning();
    return row ?? null;
  }

  async #whyNoTry(household: number): Promise<RuleDetail> {
    const row = await this.of(household);
    if (row === null) {
      const message = "The household has no PIN: the field team sets the first one.";
      return { path: "consent.pin", rule: "pin-set", message };
    }
    const until = row.lockedUntil?.toISOString() ?? "soon";
    const message = `The PIN is locked until ${until} after five wrong tries; the field team can set a new one.`;
    return { path: "consent.pin", rule: "pin-not-locked", message };
  }

  /** The household is part of what is hashed, so a row cannot be copied to another household. */
  async #hash(household: number, pin: string, salt: string): Promise<string> {
    const message = this.#pepper(`${household} ${pin}`);
    return (await derive("argon2id", { ...cost, message, nonce: Buffer.from(salt, "base64url") })).toString(
      "base64url",
    );
  }
}

/** Whether a PIN is locked at a time. */
export function isLocked({ lockedUntil }: Pick<PinRow, "lockedUntil">, now: Date): boolean {
  return lockedUntil !== null && lockedUntil > now;
}

/** PINs that people guess first: one digit repeated, or digits in order. */
export function isObviousPin(pin: string): boolean {
  return /^(\d)\1+$/.test(pin) || "0123456789012345".includes(pin) || "9876543210987654".includes(pin);
}
