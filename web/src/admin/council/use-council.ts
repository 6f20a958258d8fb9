import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";

export type Proposal = Schemas["Proposal"];

/** How often pages about the council are read again, in milliseconds: decisions become due and others sign. */
export const freshMs = 5_000;

/** The council now, and what it may change. */
export function useCouncil() {
  return useQuery({
    queryKey: ["admin", "council"],
    queryFn: ({ signal }) => hearth.get("/v1/pool/council", { signal }),
    refetchInterval: freshMs,
  });
}

/** What the connected wallet's account is on the council. Undefined: no wallet, or it is not known yet. */
export function useCouncilPart(): "member" | "guardian" | "none" | undefined {
  const { wallet } = useSession();
  const { data: council } = useCouncil();
  const roles = useQuery({
    queryKey: ["admin", "roles"],
    queryFn: ({ signal }) => hearth.get("/v1/roles", { signal }),
  });
  if (wallet === undefined || council === undefined) return undefined;
  const isWallet = (account: unknown) => String(account).toLowerCase() === wallet.address.toLowerCase();
  const { owners } = council.state;
  if (Array.isArray(owners) && owners.some(isWallet)) return "member";
  if (roles.data === undefined) return undefined;
  const guardians = roles.data.roles.filter(({ role }) => role === "guardian").flatMap(({ holders }) => holders);
  return guardians.some(({ account }) => isWallet(account)) ? "guardian" : "none";
}
