import { toMicro } from "../../../wire/src/exact.ts";
import type { Schemas } from "../../../wire/src/routes.ts";
import { useAmountText } from "../show/amount.tsx";
import { useMoneyText } from "../show/money.tsx";

export type Payout = Schemas["Payout"];

/** Return a function that describes a payout's amount: in money once it has a rate, before in stablecoin. */
export function usePayoutAmount(): (payout: Payout) => string {
  const money = useMoneyText();
  const amountText = useAmountText();
  return ({ amount, currency, stablecoin }) =>
    amount === null || currency === null
      ? amountText({ value: stablecoin }, "stablecoin")
      : money({ micro: toMicro(amount), currency });
}
