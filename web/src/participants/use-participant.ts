import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { useStore } from "../session/use-store.ts";
import { keep, kept } from "../session/vault.ts";

export type Kind = "supplier" | "implementer";
export type Participant = Schemas["Supplier"] | Schemas["Implementer"];

const listeners = new Set<() => void>();
const nameOf = (kind: Kind) => `participant.${kind}`;

/** Choose the participant that an admin or integrator acts for; stored with the session. */
export function chooseParticipant(kind: Kind, did: string | null): void {
  keep(nameOf(kind), did ?? undefined);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** DID that the session acts for: the key's own participant, else the chosen one. */
export function useParticipantDid(kind: Kind): { did: string | undefined; isOwn: boolean } {
  const { key } = useSession();
  const chosen = useStore(subscribe, () => kept<string>(nameOf(kind)));
  const own = kind === "supplier" ? key?.holder.supplierDid : key?.holder.implementerDid;
  return own ? { did: own, isOwn: true } : { did: chosen, isOwn: false };
}

/** Participants to choose from. */
export function useParticipants(kind: Kind, enabled: boolean) {
  return useQuery({
    queryKey: ["participants", kind],
    enabled,
    queryFn: ({ signal }) =>
      hearth.get(`/v1/${kind}s`, { query: { limit: 500 }, signal }).then(({ items }): Participant[] => items),
  });
}

/** The participant's public record; offline, the last known one. */
export function useParticipant(kind: Kind, did: string | undefined) {
  const name = `record.${kind}.${did ?? ""}`;
  const last = kept<Participant>(name);
  return useQuery<Participant>({
    queryKey: ["participants", kind, did],
    enabled: did !== undefined,
    placeholderData: last,
    queryFn: async ({ signal }) => {
      const found: Participant = await hearth.get(`/v1/${kind}s/{did}`, { path: { did: did ?? "" }, signal });
      keep(name, found);
      return found;
    },
  });
}
