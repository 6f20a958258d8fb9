/**
 * What happened to a record: `incomplete` (more parts are expected), `received` (stored, not yet written to Hearth), `waiting` (a KPT
 * visit whose test is not complete), `accepted`, `refused` (with the broken rules), `replaced` (by an edit), `deleted`.
 */
export const submissionStatuses = [
  "incomplete",
  "received",
  "waiting",
  "accepted",
  "refused",
  "replaced",
  "deleted",
] as const;
export type SubmissionStatus = (typeof submissionStatuses)[number];

/** A record of these states is written again when it comes again: its writing may have been interrupted, or the rule that refused it
 * may no longer be broken. */
export const rewritten: ReadonlySet<SubmissionStatus> = new Set(["incomplete", "received", "waiting", "refused"]);

/** The other states: a record in one of them is not written any more. */
export const settled: readonly SubmissionStatus[] = submissionStatuses.filter((status) => !rewritten.has(status));
