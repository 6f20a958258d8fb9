/** A value for which the data room and the repetition differ. */
export type Difference = { what: string; stated: string; repeated: string };

/** A step of the repetition, and everything that is wrong in it. */
export type Step = { title: string; faults: string[]; differences: Difference[] };

export function step(title: string, faults: string[], differences: Difference[] = []): Step {
  return { title, faults, differences };
}
