import type { Schemas } from "../../../../wire/src/routes.ts";

type ConsentOption = Schemas["ConsentOption"];

/** How a household can agree at the till, in the order of the form, each with the level of consent that the chain records. */
const levels = {
  none: "none",
  pin: "pin",
  phone: "pin",
  code: "code",
  wallet: "signature",
  given: "signature",
} as const;
export type ConsentWay = keyof typeof levels;
export const consentWays = Object.keys(levels) as ConsentWay[];

/** The ways whose level the ledger allows for this voucher, supplier and amount. */
export function allowedWays(options: readonly ConsentOption[]): ConsentWay[] {
  return consentWays.filter((way) => options.some(({ level, isAllowed }) => isAllowed && level === levels[way]));
}

/**
 * The ways that a device without a network may offer. The household's phone is asked by the service, so it needs a network.
 * @param isRequired whether the scheme requires a signature or a code; undefined when this device has never read it
 */
export function waysOffline(isRequired: boolean | undefined): ConsentWay[] {
  return consentWays.filter(
    (way) => way !== "phone" && !(isRequired === true && ["none", "pin"].includes(levels[way])),
  );
}

/**
 * The way that is chosen before the person chooses. Where a card was shown, only its PIN: another way would be a weaker or another consent
 * than the household is about to give.
 */
export function usualWay(ways: readonly ConsentWay[], hasCard: boolean): ConsentWay | undefined {
  if (hasCard) return ways.find((way) => way === "pin");
  return ways[0];
}

/**
 * Whether the supplier's own wallet can send an order: the service checks a PIN, so it sends an order with a PIN itself. Before a way is
 * chosen, the form refuses the order.
 */
export function isByWallet(way: ConsentWay | undefined): boolean {
  return way !== "pin" && way !== "phone";
}
