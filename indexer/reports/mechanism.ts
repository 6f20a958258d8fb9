/** SQL for the mechanism that the regulator recorded for an approach and a day; null if none. Takes SQL for both. */
export const mechanismOf = (approachId: string, day: string): string =>
  `(select m.unit from parameter m where m.kind = 'mechanism' and m.key = ${approachId}
    and m.valid_from <= ${day} and (m.valid_to is null or m.valid_to >= ${day}) order by m.number desc limit 1)`;
