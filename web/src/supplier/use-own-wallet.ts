import { useParticipant } from "../participants/use-participant.ts";
import { useSession } from "../session/session.ts";

/** Whether the session's wallet has the supplier's own account, which can then send transactions. */
export function useOwnWallet(supplierDid: string): boolean {
  const { wallet } = useSession();
  const { data } = useParticipant("supplier", supplierDid);
  return data !== undefined && wallet?.address.toLowerCase() === data.account.toLowerCase();
}
