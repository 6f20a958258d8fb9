import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { and, asc, eq, gt, isNull, lte, or } from "drizzle-orm";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import type { Change } from "../../../platform/idempotency/index.ts";
import { sealedColumns } from "../../../platform/sealed-columns.ts";
import { createSecretBox, type SealingKeys } from "../../../platform/secret-box.ts";
import { hashSealing } from "./sealed-hash.ts";
import { householdPins, type PinChangeRow, type PinRow, type PinTriesRow, pinChanges, pinTries } from "./tables.ts";

export const sealedPinColumns = sealedColumns(householdPins, "pin", ["hash"], hashSealing);

/** Wrong tries of one caller after which the PIN is locked for it. */
export const MAX_TRIES = 5;
/** Wrong tries of all callers within a day after which the PIN is locked for all: more than one caller can make alone. */
const maxOfAll = 2 * MAX_TRIES;
export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const lockMs = dayMs;
/** Locks of a caller, without a right PIN in between and no month apart, after which the next ones are longer. */
const shortLocks = 2;
/** So callers who act together lock a PIN for all seldom. */
const repeatedLockMs = 7 * dayMs;
const monthMs = 30 * dayMs;
/** OWASP's smallest recommended cost of argon2id; memory in KiB. */
const cost = { parallelism: 1, memory: 19_456, passes: 2, tagLength: 32 } as const;
/** Longest time that the check of a PIN takes, in milliseconds. Meanwhile a fifth try that is right looks like a lock. */
const checkMs = 10_000;
const derive = promisify(argon2);

/** A lock of a household's PIN: for one caller, or for all (null). */
export type PinLock = { household: number; caller: string | null; at: Date; isForWeek: boolean };
type Setter = Pick<PinChangeRow, "reason" | "role" | "caller">;

/** The PINs of households: set, checked and locked. Nothing outside sees a PIN or its hash. */
export class Pins {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #pepper: (text: string) => string;
  readonly #sealing: ReturnType<typeof hashSealing>;

  constructor({ db, clock, sealingKeys }: { db: Database; clock: Clock; sealingKeys: SealingKeys }) {
    this.#db = db;
    this.#clock = clock;
    const box = createSecretBox(sealingKeys, "pin");
    this.#pepper = box.hash;
    this.#sealing = hashSealing(box);
  }

  async of(household: number): Promise<PinRow | null> {
    return (await this.#db.select().from(householdPins).where(eq(householdPins.household, household)))[0] ?? null;
  }

  async changesOf(household: number): Promise<PinChangeRow[]> {
    const found = eq(pinChanges.household, household);
    return this.#db.select().from(pinChanges).where(found).orderBy(asc(pinChanges.number));
  }

  /** Each caller's tries that still count. */
  async triesOf(household: number): Promise<PinTriesRow[]> {
    const now = this.#clock.now();
    const rows = await recentTries(this.#db, household, now);
    return rows
      .filter((row) => triesOfDay(row, now) > 0 || isLocked(row, now))
      .map((row) => (isLocked(row, now) ? row : { ...row, lockedUntil: null }));
  }

  /** The locks that began after a time and have not ended, oldest first. */
  async locksSince(since: Date): Promise<PinLock[]> {
    const now = this.#clock.now();
    const until = new Date(now.getTime() - checkMs);
    const begun = and(gt(pinTries.triedAt, since), lte(pinTries.triedAt, until), gt(pinTries.lockedUntil, now));
    const ofCallers = await this.#db.select().from(pinTries).where(begun);
    const ofAll = await this.#db.select().from(householdPins).where(gt(householdPins.lockedUntil, now));
    return [
      ...ofCallers.map(({ household, caller, triedAt, lockedUntil }) => {
        // A caller that is locked has no further tries, so its last one began the lock.
        const isForWeek = (lockedUntil ?? triedAt).getTime() - triedAt.getTime() > lockMs;
        return { household, caller, at: triedAt, isForWeek };
      }),
      ...ofAll
        .map(({ household, lockedUntil }) => {
          const at = new Date((lockedUntil ?? now).getTime() - lockMs);
          return { household, caller: null, at, isForWeek: false };
        })
        .filter(({ at }) => at > since && at <= until),
    ].sort((one, other) => one.at.getTime() - other.at.getTime());
  }

  /** Count the households with a PIN that is locked for a week for a caller, and those whose PIN was locked within the last hour. */
  async countLocks(): Promise<{ forWeek: number; lastHour: number }> {
    const now = this.#clock.now().getTime();
    const locks = await this.locksSince(new Date(now - repeatedLockMs));
    const count = (some: readonly PinLock[]) => new Set(some.map(({ household }) => household)).size;
    return {
      forWeek: count(locks.filter(({ isForWeek }) => isForWeek)),
      lastHour: count(locks.filter(({ at }) => at.getTime() > now - hourMs)),
    };
  }

  /** Set a household's PIN with this change. It ends every lock. */
  async newPin(household: number, pin: string, by: Setter): Promise<Change> {
    const salt = randomBytes(16).toString("base64url");
    const setAt = this.#clock.now();
    const row = { hash: this.#sealing.seal(await this.#hash(household, pin, salt)), salt, lockedUntil: null, setAt };
    return async (tx) => {
      await tx
        .insert(householdPins)
        .values({ household, ...row })
        .onConflictDoUpdate({ target: householdPins.household, set: row });
      await tx.update(pinTries).set({ tries: 0, lockedUntil: null }).where(eq(pinTries.household, household));
      await tx.insert(pinChanges).values({ household, ...by, at: setAt });
      return String(household);
    };
  }

  /**
   * Check a household's PIN and count the try.
   * @param caller who tries: a supplier's DID, or the key of another caller
   * @returns the broken rules: `pin-set`, `pin-not-locked` or `pin-correct`; none when it is right
   */
  async check(household: number, pin: string, caller: string): Promise<RuleDetail[]> {
    const taken = await this.#takeTry(household, caller);
    if ("refusal" in taken) return [taken.refusal];
    const { known } = taken;
    const given = Buffer.from(await this.#hash(household, pin, known.salt), "base64url");
    if (timingSafeEqual(given, Buffer.from(this.#sealing.open(known.hash), "base64url"))) {
      await this.#clear(known, caller);
      return [];
    }
    return [{ path: "consent.pin", rule: "pin-correct", message: `The PIN is wrong. ${whatIsLeft(taken)}` }];
  }

  /**
   * Count a try before it is checked, so that guesses at the same time are not more than five. The fifth locks the PIN for its caller
   * until it turns out to be right.
   */
  async #takeTry(household: number, caller: string): Promise<TakenTry> {
    return await this.#db.transaction(async (tx) => {
      // Tries of one household wait for each other here.
      const [known] = await tx.select().from(householdPins).where(eq(householdPins.household, household)).for("update");
      if (known === undefined) return { refusal: notSet };
      const now = this.#clock.now();
      if (isLocked(known, now)) return { refusal: lockedForAll(known.lockedUntil) };
      const all = await recentTries(tx, household, now);
      const own = all.find((row) => row.caller === caller);
      if (own !== undefined && isLocked(own, now)) return { refusal: lockedForCaller(own.lockedUntil) };
      const tries = (own === undefined ? 0 : triesOfDay(own, now)) + 1;
      const row = { tries, triedAt: now, ...lockAfter(tries, own?.locks ?? 0, now) };
      await tx
        .insert(pinTries)
        .values({ household, caller, ...row })
        .onConflictDoUpdate({ target: [pinTries.household, pinTries.caller], set: row });
      const ofOthers = all.filter((each) => each !== own).reduce((sum, each) => sum + triesOfDay(each, now), 0);
      const isLast = ofOthers + tries >= maxOfAll;
      if (isLast) {
        const lockedUntil = new Date(now.getTime() + lockMs);
        await tx.update(householdPins).set({ lockedUntil }).where(eq(householdPins.household, household));
      }
      const left = Math.min(MAX_TRIES - tries, maxOfAll - ofOthers - tries);
      return { known, left, isLast, isRepeated: row.locks > shortLocks };
    });
  }

  /** After a right PIN: the tries of its caller are over, and those of callers that are not locked. */
  async #clear({ household, salt }: PinRow, caller: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      // Each PIN has its own salt. The hash may have been sealed again meanwhile.
      const samePin = and(eq(householdPins.household, household), eq(householdPins.salt, salt));
      const same = await tx.update(householdPins).set({ lockedUntil: null }).where(samePin).returning();
      if (same.length === 0) return;
      const ofHousehold = eq(pinTries.household, household);
      await tx.delete(pinTries).where(and(ofHousehold, eq(pinTries.caller, caller)));
      await tx
        .update(pinTries)
        .set({ tries: 0 })
        .where(and(ofHousehold, or(isNull(pinTries.lockedUntil), lte(pinTries.lockedUntil, this.#clock.now()))));
    });
  }

  /** The household is part of what is hashed, so a row cannot be copied to another household. */
  async #hash(household: number, pin: string, salt: string): Promise<string> {
    const message = this.#pepper(`${household} ${pin}`);
    return (await derive("argon2id", { ...cost, message, nonce: Buffer.from(salt, "base64url") })).toString(
      "base64url",
    );
  }
}

/** `isLast`: this try locked the PIN for all. `isRepeated`: a lock of this caller is a longer one. */
type Left = { left: number; isLast: boolean; isRepeated: boolean };
type TakenTry = { refusal: RuleDetail } | (Left & { known: PinRow });

/** Each caller's tries and locks, unless its last try is a month ago. */
async function recentTries(within: Database | Transaction, household: number, now: Date): Promise<PinTriesRow[]> {
  const monthAgo = new Date(now.getTime() - monthMs);
  const recent = and(eq(pinTries.household, household), gt(pinTries.triedAt, monthAgo));
  return await within.select().from(pinTries).where(recent).orderBy(asc(pinTries.caller));
}

/** A caller's tries that still count: none when its last one is a day ago. */
function triesOfDay({ tries, triedAt }: PinTriesRow, now: Date): number {
  return now.getTime() - triedAt.getTime() < dayMs ? tries : 0;
}

function lockAfter(tries: number, locks: number, now: Date): Pick<PinTriesRow, "lockedUntil" | "locks"> {
  if (tries < MAX_TRIES) return { lockedUntil: null, locks };
  const ms = locks < shortLocks ? lockMs : repeatedLockMs;
  return { lockedUntil: new Date(now.getTime() + ms), locks: locks + 1 };
}

const notSet: RuleDetail = {
  path: "consent.pin",
  rule: "pin-set",
  message: "The household has no PIN: the field team sets the first one.",
};

const locked = (message: string): RuleDetail => ({ path: "consent.pin", rule: "pin-not-locked", message });
const lockedForAll = (until: Date | null): RuleDetail =>
  locked(`The PIN is locked until ${until?.toISOString()} after ten wrong tries; the field team can set a new one.`);
const lockedForCaller = (until: Date | null): RuleDetail =>
  locked(
    `The PIN is locked here until ${until?.toISOString()} after five wrong tries. It works at other suppliers and by phone; the field team can set a new one.`,
  );

function whatIsLeft({ left, isLast, isRepeated }: Left): string {
  if (left > 0) return `${left} ${left === 1 ? "try is" : "tries are"} left.`;
  return isLast
    ? "It is locked for 24 hours now; the field team can set a new one."
    : `It is locked here for ${isRepeated ? "7 days" : "24 hours"} now; it works at other suppliers and by phone, and the field team can set a new one.`;
}

/** Whether a PIN is locked at a time. */
export function isLocked({ lockedUntil }: { lockedUntil: Date | null }, now: Date): boolean {
  return lockedUntil !== null && lockedUntil > now;
}

/** PINs that people guess first: one digit repeated, or digits in order. */
export function isObviousPin(pin: string): boolean {
  return /^(\d)\1+$/.test(pin) || "0123456789012345".includes(pin) || "9876543210987654".includes(pin);
}
