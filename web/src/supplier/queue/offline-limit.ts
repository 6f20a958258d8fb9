import { useQuery } from "@tanstack/react-query";
import { readCardId } from "../../../../wire/src/card-code.ts";
import { toMicro } from "../../../../wire/src/exact.ts";
import { hearth } from "../../api/client.ts";
import { keep, kept } from "../../session/vault.ts";
import type { QueueEntry } from "./entry.ts";

const name = "supplier.offline-limits";

/** Most micro-CARBON of orders that were accepted without a network and have no answer yet. */
export type OfflineLimits = { perCard: bigint; perDevice: bigint };
type KeptTerms = {
  perCard: string;
  perDevice: string;
  /** Whether every redemption needs the household's signature or one of its codes. Absent: kept by an earlier version. */
  consentRequired?: boolean;
};

/** What the scheme lays down for all redemptions, also without a network once it was read; undefined before. */
export function useRedemptionTerms(): KeptTerms | undefined {
  const { data } = useQuery({
    queryKey: ["supplier", "redemption-terms"],
    queryFn: async ({ signal }) => {
      const { offlineLimits, consentRequired } = await hearth.get("/v1/redemption-terms", { signal });
      const { perCard, perDevice } = offlineLimits;
      const terms: KeptTerms = { perCard: String(perCard), perDevice: String(perDevice), consentRequired };
      keep(name, terms);
      return terms;
    },
  });
  return data ?? kept<KeptTerms>(name);
}

/** The scheme's limits of orders that are accepted without a network. */
export function useOfflineLimits(): OfflineLimits | undefined {
  const terms = useRedemptionTerms();
  return terms && { perCard: toMicro(terms.perCard), perDevice: toMicro(terms.perDevice) };
}

/** Whether this device is without the service: it has no network, or an order was sent and has no answer. */
export function isOffline(online: boolean, entries: readonly QueueEntry[]): boolean {
  return (
    !online ||
    entries.some(({ state, tries, operationId }) => isPending(state) && tries > 0 && operationId === undefined)
  );
}

/** How much more this device may accept without a network. `which`: the limit that leaves less. */
export function leftOffline(
  { perCard, perDevice }: OfflineLimits,
  entries: readonly QueueEntry[],
  spender: string,
): { left: bigint; which: keyof OfflineLimits } {
  const pending = entries.filter(({ state }) => isPending(state));
  const sumOf = (orders: readonly QueueEntry[]) => orders.reduce((sum, { amount }) => sum + toMicro(amount), 0n);
  const ofCard = perCard - sumOf(pending.filter((entry) => spenderOf(entry) === spender));
  const ofDevice = perDevice - sumOf(pending);
  const [left, which] = ofCard <= ofDevice ? ([ofCard, "perCard"] as const) : ([ofDevice, "perDevice"] as const);
  return { left: left > 0n ? left : 0n, which };
}

/** Whose limit an order uses: its card's, or its voucher's where no card was shown. */
export function spenderOf({ body, voucherId }: Pick<QueueEntry, "body" | "voucherId">): string {
  const { consent } = JSON.parse(body) as { consent?: { card?: string } };
  return (consent?.card === undefined ? undefined : readCardId(consent.card)) ?? voucherId;
}

const isPending = (state: QueueEntry["state"]) => state === "waiting" || state === "unsure";
