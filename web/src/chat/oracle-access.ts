import { useQuery } from "@tanstack/react-query";
import { clientWith, hearth } from "../api/client.ts";
import { createInvocation } from "../identity/bearer.ts";
import type { Identity } from "../identity/identity-store.ts";
import { onEnd, useSession } from "../session/session.ts";

/** The access lasts an hour; it is renewed while a conversation is open. */
const renewMs = 30 * 60_000;
/** Longest time that signing out waits for the server, in milliseconds. */
const waitMs = 3_000;

let connected: string | undefined;

/**
 * Let the oracle read what the signed-in person may read. Without a key or session it reads only what is public.
 * @returns the query; its data is the role that the oracle reads as, or null for a visitor
 */
export function useOracleAccess(identity: Identity | undefined, oracleDid: string | undefined) {
  const { key } = useSession();
  const token = key?.token;
  return useQuery({
    queryKey: ["chat", "access", identity?.did, key?.holder.id],
    enabled: identity !== undefined && oracleDid !== undefined,
    refetchInterval: renewMs,
    queryFn: async () => {
      if (token === undefined || identity === undefined || oracleDid === undefined) return null;
      const { serialized: invocation } = await createInvocation(identity.key, oracleDid);
      const { userDid, role } = await hearth.post("/v1/oracle-access", { body: { invocation } });
      connected = userDid;
      return role;
    },
  });
}

/** End the access at sign-out. When the server is not reached, it ends by itself within the hour. */
onEnd(async ({ token, proof }) => {
  const userDid = connected;
  connected = undefined;
  if (userDid === undefined) return;
  const signal = AbortSignal.timeout(waitMs);
  const key = proof === undefined ? { token } : { token, proof };
  await clientWith({ key })
    .post("/v1/oracle-access/end", { body: { userDid }, signal })
    .catch((error: unknown) => console.warn("The oracle's access was not ended.", error));
});
