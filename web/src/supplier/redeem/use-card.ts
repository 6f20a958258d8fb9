import { useQuery } from "@tanstack/react-query";
import { readCardId } from "../../../../wire/src/card-code.ts";
import { HearthError } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { isUndecided } from "../../api/error.ts";
import { keep, kept } from "../../session/vault.ts";
import { hiddenName } from "../queue/queue-store.ts";

/** A card as the device keeps it: no id of the card and nothing of its household. */
type KeptCard = {
  status: Schemas["FoundCard"]["status"];
  vouchers: { id: string; balance: string; expiryDate: string }[];
};
/** `isKept`: as it was when the device saw it last, because no answer came. `unseen`: no answer, and never seen here. */
export type CardView = (KeptCard & { isKept: boolean }) | "unseen";

/** A household's card by its code, also without a network once this device has seen it. */
export function useCard(code: string) {
  return useQuery({
    queryKey: ["supplier", "card", code],
    staleTime: 0,
    networkMode: "always",
    queryFn: async ({ signal }): Promise<CardView> => {
      const name = `supplier.card.${await hiddenName(readCardId(code) ?? code)}`;
      try {
        const { status, vouchers } = await hearth.post("/v1/cards/lookup", { body: { code }, signal });
        const card: KeptCard = {
          status,
          vouchers: vouchers.map(({ id, remainingBalance, expiryDate }) => ({
            id,
            balance: String(remainingBalance),
            expiryDate,
          })),
        };
        keep(name, card);
        return { ...card, isKept: false };
      } catch (error) {
        if (!(error instanceof HearthError) || !isUndecided(error)) throw error;
        const card = kept<KeptCard>(name);
        return card === undefined ? "unseen" : { ...card, isKept: true };
      }
    },
  });
}
