/** A value for which the data room and the repetition differ. */
export type Difference = { what: string; stated: string; repeated: string };

/** A step of the repetition, and everything that is wrong in it. A note tells the reader something and is not a fault. */
export type Step = { title: string; faults: string[]; differences: Difference[]; notes?: string[] };

/** What the reader accepts that is otherwise a fault. */
export type Accepted = {
  /** Flags that only rules added after the close raise. */
  earlierFlags?: boolean;
};

export function step(title: string, faults: string[], differences: Difference[] = []): Step {
  return { title, faults, differences };
}
