export type RootsReport = {
  /** Daily roots that were recomputed. */
  days: number;
  /** Of those, how many the chain has alike; undefined when it could not be asked. */
  anchored: number | undefined;
  /** Why the chain could not be asked. */
  unreachable?: string;
};

/** The first thing that is not as it was written. `sequence`: the event's place in its namespace's chain, where there is one. */
export type AuditFault = { namespace?: string; sequence?: number; eventId?: string; problem: string };

export type AuditReport = {
  namespaces: number;
  events: number;
  roots: RootsReport;
  /** Every chain up to its first fault; empty when all is as it was written. */
  faults: AuditFault[];
};
