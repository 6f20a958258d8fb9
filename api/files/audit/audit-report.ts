export type RootsReport = {
  /** Daily roots that were recomputed. */
  days: number;
  /** How many of them equal the roots on chain; undefined when the chain could not be read. */
  anchored: number | undefined;
  /** How many the chain should have by now and has not; absent when there are none, or the chain could not be read. */
  overdue?: number;
  /** Why the chain could not be read. */
  unreachable?: string;
};

/** Data that was changed after it was written. `sequence` is the event's position in its namespace's chain. */
export type AuditFault = { namespace?: string; sequence?: number; eventId?: string; problem: string };

export type AuditReport = {
  namespaces: number;
  events: number;
  roots: RootsReport;
  /** The first fault of each chain, and all faults of roots; empty when nothing was changed. */
  faults: AuditFault[];
};
