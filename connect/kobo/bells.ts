import { HearthError } from "../../wire/src/index.ts";
import { XmlError } from "../records/parse-xml.ts";
import { clientOf, koboOf } from "./connections/access.ts";
import type { KoboDeps } from "./deps.ts";
import { KoboError } from "./kobo-api.ts";
import { NotYetError, readKoboRecord } from "./read-record.ts";
import type { BellKey } from "./store.ts";
import type { BellRow } from "./tables.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** Pause after each failed attempt, in milliseconds: about three days in all. Then the record waits for another bell. */
const retryWaitsMs = [
  10 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];
/**
 * How long a record is reserved, in milliseconds, so that no two processes read it. The reservation is renewed while the record is read,
 * so a record whose process died waits no longer than this.
 */
const leaseMs = 15 * second;
const renewMs = 5 * second;
const bellsAtOnce = 20;
const inParallel = 4;

/** Errors whose message says what is wrong with a record or with Kobo. Others are defects. */
const expected = [KoboError, HearthError, NotYetError, XmlError];

/** Result of handling a bell. One that another process has, or that is done already, counts as done. */
export type BellOutcome = { done: true } | { done: false; reason: string };

/** Handle the bells that are due. @returns whether more may be due */
export async function handleDueBells(deps: KoboDeps, signal: AbortSignal): Promise<boolean> {
  const due = await deps.store.due(deps.host.clock.now(), bellsAtOnce);
  const left = [...due];
  const work = async () => {
    for (let bell = left.shift(); bell !== undefined && !signal.aborted; bell = left.shift()) {
      await handleBell(deps, bell);
    }
  };
  await Promise.all(Array.from({ length: inParallel }, work));
  return due.length === bellsAtOnce;
}

/** Read the record of a bell and write it to Hearth. A failure is stored with the bell, which is tried again later. */
export async function handleBell(deps: KoboDeps, key: BellKey): Promise<BellOutcome> {
  const { store, host } = deps;
  const now = host.clock.now();
  const bell = await store.take(key, now, new Date(now.getTime() + leaseMs));
  // Done meanwhile, or another process has it.
  if (bell === undefined) return { done: true };
  const renewing = setInterval(() => {
    store
      .renew(bell, new Date(host.clock.now().getTime() + leaseMs))
      .catch((error: unknown) => host.log.warn({ err: error }, "the reservation of a Kobo record was not renewed"));
  }, renewMs);
  try {
    const connection = await store.find(bell.connectionId);
    if (connection === undefined || connection.revokedAt !== null) {
      await store.finish(bell, "The connection was ended.");
      return { done: false, reason: "The connection was ended." };
    }
    await readKoboRecord(deps, {
      connection,
      client: clientOf(deps, connection),
      kobo: koboOf(deps, connection),
      bell,
    });
    await store.finish(bell, null);
    return { done: true };
  } catch (error) {
    return { done: false, reason: await postpone(deps, bell, error) };
  } finally {
    clearInterval(renewing);
  }
}

/** Store why a bell failed, and when it is tried again. @returns the reason, for the team */
async function postpone({ store, host }: KoboDeps, bell: BellRow, error: unknown): Promise<string> {
  const { connectionId, rootUuid, tries } = bell;
  const isExpected = expected.some((kind) => error instanceof kind);
  const reason = isExpected ? (error as Error).message : "Something went wrong on our side. It has been recorded.";
  const log = { connectionId, rootUuid, tries: tries + 1 };
  if (isExpected) host.log.warn({ ...log, reason }, "a Kobo record was not read");
  else host.log.error({ ...log, err: error }, "a Kobo record was not read");
  if (error instanceof KoboError && error.status === 404) {
    // Deleted at Kobo. What was made of it stays.
    await store.finish(bell, "KoboToolbox no longer has this record, or hides it from the token.");
    return reason;
  }
  const wait = retryWaitsMs[tries];
  if (wait === undefined) {
    await store.finish(bell, reason);
    return reason;
  }
  // A random part, so that records that failed together are not tried again together.
  const nextTryAt = new Date(host.clock.now().getTime() + wait * (1 + Math.random() * 0.1));
  await store.changeBell(bell, { tries: tries + 1, nextTryAt, leaseUntil: null, lastError: reason });
  return reason;
}
