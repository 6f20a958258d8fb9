import { HearthError } from "../../../../wire/src/errors.ts";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import { hearth } from "../../api/client.ts";
import { isUndecided } from "../../api/error.ts";
import { settled } from "../../api/settled.ts";
import { session } from "../../session/session.ts";
import { keep, kept } from "../../session/vault.ts";

/** Only one tab sends at a time; the others then read the result. */
const lockName = "hearth.implementer.kpt.outbox";
/** Name in the vault. A literal that begins with an area's name would count as a key of its texts. */
const name = lockName.slice("hearth.".length);

/** A measurement that is not filed yet, or was refused. */
export type Waiting = {
  /** Idempotency-Key of the request: repeated requests file it once. */
  id: string;
  campaignId: string;
  householdId: string;
  testGroup: CampaignGroup;
  /** The request's JSON, digit for digit. */
  body: string;
  /** Id of the key that files it. */
  holder: string;
  /** The broken rules, when it was refused. */
  refused?: string[];
};

export type Filed = { id: string; householdId: string; transactionHash: string };
export type Outcome = { kind: "filed"; filed: Filed } | { kind: "waiting" } | { kind: "refused"; error: HearthError };

const listeners = new Set<() => void>();
let shown: readonly Waiting[] = read();

function read(): readonly Waiting[] {
  return kept<Waiting[]>(name) ?? [];
}

function change(next: readonly Waiting[]): void {
  shown = next;
  keep(name, next.length === 0 ? undefined : next);
  for (const listener of listeners) listener();
}

/** The unsent measurements of this tab, or of this device if the user chose to be remembered; the same list until it changes. */
export const waitingMeasurements = (): readonly Waiting[] => shown;

export function subscribeOutbox(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Keep a measurement before it is sent. */
export function putMeasurement(entry: Omit<Waiting, "id" | "holder" | "refused">): Waiting {
  const waiting: Waiting = { ...entry, id: crypto.randomUUID(), holder: session().key?.holder.id ?? "" };
  change([...read(), waiting]);
  return waiting;
}

export function dropMeasurement(id: string): void {
  change(read().filter((each) => each.id !== id));
}

/** Send one measurement: it is removed when filed, stays with its broken rules when refused, and else waits. */
export async function sendMeasurement(waiting: Waiting): Promise<Outcome> {
  return await navigator.locks.request(lockName, async () => {
    // Another tab may have filed it while this one waited for the lock.
    if (!read().some(({ id }) => id === waiting.id)) {
      change(read());
      return { kind: "waiting" };
    }
    const outcome = await outcomeOf(waiting);
    if (outcome.kind === "filed") dropMeasurement(waiting.id);
    if (outcome.kind === "refused") {
      const rules = outcome.error.details.map(({ message }) => message);
      const refused = rules.length === 0 ? [outcome.error.message] : rules;
      change(read().map((each) => (each.id === waiting.id ? { ...each, refused } : each)));
    }
    return outcome;
  });
}

/** Send all waiting measurements, oldest first; stop at the first one without a network. */
export async function sendOutbox(): Promise<number> {
  let filed = 0;
  const holder = session().key?.holder.id ?? "";
  for (const waiting of read().filter((each) => each.refused === undefined && each.holder === holder)) {
    const outcome = await sendMeasurement(waiting);
    if (outcome.kind === "waiting") return filed;
    if (outcome.kind === "filed") filed += 1;
  }
  return filed;
}

async function outcomeOf({ id, body, householdId }: Waiting): Promise<Outcome> {
  try {
    const filed = await settled<Omit<Filed, "householdId">>(
      () => hearth.post("/v1/claims", { json: body, idempotencyKey: id }),
      (late) => ({ id: String(late.id), transactionHash: late.transactionHash }),
    );
    return { kind: "filed", filed: { id: filed.id, householdId, transactionHash: filed.transactionHash } };
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    return isUndecided(error) ? { kind: "waiting" } : { kind: "refused", error };
  }
}
