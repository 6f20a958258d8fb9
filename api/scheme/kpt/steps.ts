/**
 * Every point of a filing at which a killed process leaves something different behind. `deps.kpt.step` is called with these names,
 * in this order; production leaves it undefined.
 */
export const kptSteps = [
  /** Days and number are reserved. */
  "reserved",
  /** The files are stored, but no row names them. */
  "stored",
  /** The credential is signed, but its row does not contain it. */
  "issued",
  /** The row has the credential: from now on the claim is sent to the chain. */
  "signed",
  /** The claim is on chain, but its row does not say so. */
  "recorded",
] as const;
export type KptStep = (typeof kptSteps)[number];
