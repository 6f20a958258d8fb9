/** How a household agreed to a redemption, from the weakest, as the ledger counts them. */
export const consentLevels = ["none", "pin", "code", "signature"] as const;
export type ConsentLevel = (typeof consentLevels)[number];

export function consentLevel(value: number): ConsentLevel {
  const level = consentLevels[value];
  if (level === undefined) throw new RangeError(`${value} is not one of ${consentLevels.join(", ")}`);
  return level;
}

/** Whether the chain itself has checked the consent. */
export const isChecked = (consent: ConsentLevel): boolean => consent === "code" || consent === "signature";
