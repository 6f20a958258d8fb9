export type RootsReport = {
  /** Daily roots that were recomputed. */
  days: number;
  /** How many of them are the same on chain; undefined when the chain could not be asked. */
  anchored: number | undefined;
  /** Why the chain could not be asked. */
  unreachable?: string;
};

/** Something that is not as it was written. `sequence` is the event's position in its namespace's chain. */
export type AuditFault = { namespace?: string; sequence?: number; eventId?: string; problem: string };

export type AuditReport = {
  namespaces: number;
  events: number;
  roots: RootsReport;
  /** The first fault of each chain, and those of the roots; empty when everything is as it was written. */
  faults: AuditFault[];
};
