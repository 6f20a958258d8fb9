import { isoTime } from "../../../platform/chain/index.ts";
import { isZero } from "../../../platform/values/zero-address.ts";
import type { Ledger } from "../ledger.ts";
import type { PendingAccount } from "./schemas.ts";

/** Numbers of `IParticipants.Party`. */
export const partyKinds = { implementers: 0, suppliers: 1, households: 2 } as const;

/** Read the proposed account of a party; null when none is pending. */
export async function readPendingAccount(
  ledger: Ledger,
  kind: keyof typeof partyKinds,
  index: number,
): Promise<PendingAccount | null> {
  const waiting = await ledger.participants.read.pendingAccount([partyKinds[kind], index]);
  if (isZero(waiting.account)) return null;
  const { account, from, confirmed } = waiting;
  return { account, effectiveFrom: isoTime(from), confirmed };
}
