import { useEffect } from "react";
import { queryClient } from "../../api/query-client.ts";
import { isRemembered, onSignOut, session } from "../../session/session.ts";
import { useStore } from "../../session/use-store.ts";
import { type QueueEntry, tryAgain } from "./entry.ts";
import { readQueue, removeEntry, sweepQueue, writeEntry } from "./queue-store.ts";
import { settleQueue } from "./settle.ts";

const retryMs = 20_000;
/** `problem`: why orders could not be read, stored or sent; no stored order is lost. */
type Snapshot = { entries: QueueEntry[]; isSettling: boolean; isRead: boolean; problem?: unknown };

let snapshot: Snapshot = { entries: [], isSettling: false, isRead: false };
const listeners = new Set<() => void>();
onSignOut(() => change({ entries: [], isRead: false }));

function change(part: Partial<Snapshot>): void {
  snapshot = { ...snapshot, ...part };
  for (const listener of listeners) listener();
}

async function reread(): Promise<void> {
  change({ entries: await readQueue(), isRead: true });
}

async function write(entry: QueueEntry): Promise<void> {
  await writeEntry(entry);
  await reread();
}

/** Store an authorised redemption, then send it if there is a network. It is on disk when this resolves. */
export async function enqueue(entry: QueueEntry, supplierDid: string): Promise<void> {
  await write(entry);
  void settleNow(supplierDid);
}

export async function retryEntry(entry: QueueEntry, supplierDid: string): Promise<void> {
  await reportProblems(async () => {
    await write(tryAgain(entry));
    await settleAlone(supplierDid);
  });
}

export async function dropEntry(id: string): Promise<void> {
  await reportProblems(async () => {
    await removeEntry(id);
    await reread();
  });
}

/** Send waiting orders. Only one tab of a browser does so at a time. */
export async function settleNow(supplierDid: string): Promise<void> {
  await reportProblems(() => settleAlone(supplierDid));
}

/** Show errors of this device above the orders. */
async function reportProblems(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    change({ problem: undefined });
  } catch (problem) {
    change({ problem, isRead: true });
  }
}

async function settleAlone(supplierDid: string): Promise<void> {
  const keyId = session().key?.holder.id;
  if (keyId === undefined) return;
  await navigator.locks.request("hearth-supplier-queue", { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    change({ isSettling: true });
    try {
      await settleQueue({ read: readQueue, write, supplierDid, keyId, now: Date.now });
    } finally {
      change({ isSettling: false });
      await reread();
      void queryClient.invalidateQueries({ queryKey: ["supplier"] });
    }
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The supplier's current orders. */
export function useQueue(supplierDid: string): Snapshot {
  const { entries, ...rest } = useStore(subscribe, () => snapshot);
  return { ...rest, entries: entries.filter((entry) => entry.supplierDid === supplierDid) };
}

/** Read the queue, and send it now, when the network returns, and regularly while something waits. */
export function useSettling(supplierDid: string | undefined): void {
  useEffect(() => {
    if (supplierDid === undefined) return;
    const settle = () => void settleNow(supplierDid);
    const timer = setInterval(() => {
      if (snapshot.entries.some(({ state }) => state === "waiting")) settle();
    }, retryMs);
    window.addEventListener("online", settle);
    window.addEventListener("beforeunload", warnOfLoss);
    void reportProblems(async () => {
      await reread();
      await sweepQueue(Date.now());
      await settleAlone(supplierDid);
    });
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", settle);
      window.removeEventListener("beforeunload", warnOfLoss);
    };
  }, [supplierDid]);
}

/** Closing the tab loses the key of its orders, unless the session is remembered on the device. */
function warnOfLoss(event: BeforeUnloadEvent): void {
  const isWaiting = snapshot.entries.some(({ state }) => state === "waiting");
  if (isWaiting && !isRemembered()) event.preventDefault();
}
