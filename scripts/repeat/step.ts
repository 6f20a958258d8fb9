/** A figure or fact that the data room states otherwise than it is repeated. */
export type Difference = { what: string; stated: string; repeated: string };

/** A step of the repetition: what was repeated, and everything that is wrong. */
export type Step = { title: string; faults: string[]; differences: Difference[] };

export function step(title: string, faults: string[], differences: Difference[] = []): Step {
  return { title, faults, differences };
}
