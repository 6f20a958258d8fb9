/**
 * Every point of a filing at which a killed process leaves something different behind. `deps.kpt.step` is called with these names,
 * in this order; production leaves it undefined.
 */
export const kptSteps = [
  /** Days and number are taken. */
  "reserved",
  /** The files are there, and no row names them. */
  "stored",
  /** The credential is signed, and its row does not have it. */
  "issued",
  /** The row has the credential: from here on the claim goes to the chain. */
  "signed",
  /** The chain has it, and the row does not say so. */
  "recorded",
] as const;
export type KptStep = (typeof kptSteps)[number];
