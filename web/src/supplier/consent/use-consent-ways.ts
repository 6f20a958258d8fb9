import { useDebouncedValue, useNetwork } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { HearthError } from "../../../../wire/src/errors.ts";
import { formatScaled } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { isUndecided } from "../../api/error.ts";
import { useRedemptionTerms } from "../queue/offline-limit.ts";
import { allowedWays, type ConsentWay, waysOffline } from "./ways.ts";

export type RefusedLevel = Schemas["ConsentOption"];
export type ConsentWays = {
  ways: readonly ConsentWay[];
  /** The levels that the ledger does not allow now, with the rule that each breaks. */
  refused: readonly RefusedLevel[];
  /** False without an answer of the service: the order is checked when it is sent. */
  isKnown: boolean;
  isLoading: boolean;
  /** Why the service does not say it. */
  error: unknown;
};

/** How the household may agree to this amount of the voucher. Without a network: the last answer, else what this device knows. */
export function useConsentWays(voucherId: string, supplierDid: string, amount: bigint | undefined): ConsentWays {
  // While the person types, the answer to the last amount stays.
  const [asked] = useDebouncedValue(amount, 300);
  const text = asked === undefined || asked <= 0n ? undefined : formatScaled(asked, 6);
  const { online } = useNetwork();
  const terms = useRedemptionTerms();
  const { data, error, fetchStatus } = useQuery({
    queryKey: ["supplier", "consents", voucherId, supplierDid, text],
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      hearth.get("/v1/vouchers/{voucherId}/consents", {
        path: { voucherId },
        query: { supplierDid, ...(text === undefined ? {} : { amount: text }) },
        signal,
      }),
  });
  const none = { ways: [], refused: [], isKnown: false, isLoading: false, error: null };
  if (data !== undefined) {
    const refused = data.levels.filter(({ isAllowed }) => !isAllowed);
    const ways = allowedWays(data.levels);
    return { ...none, ways: online ? ways : ways.filter((way) => way !== "phone"), refused, isKnown: online };
  }
  if (error instanceof HearthError && !isUndecided(error)) return { ...none, error };
  if (error === null && fetchStatus === "fetching") return { ...none, isLoading: true };
  return { ...none, ways: waysOffline(terms?.consentRequired) };
}
