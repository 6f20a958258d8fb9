/** Answers of the indexer's `/reports`. Amounts are decimals as in the API; serials and ids are text. */

/** What a step of a trace starts from or leads to. */
export type TraceEndType =
  | "campaign"
  | "draw"
  | "kpt-claim"
  | "result"
  | "certificate"
  | "voucher"
  | "redemption"
  | "claim"
  | "payment"
  | "account"
  | "pool"
  | "swap"
  | "conversion"
  | "itmo-block"
  | "action";

/** One end of a step. An action's id is its block and its position in the chain. */
export type TraceEnd = { type: TraceEndType; id: string };

/** One step with the transaction that made it. `relation` names it: a step of the scheme, a CARBON movement or an ITMO action. */
export type TraceLink = { from: TraceEnd; to: TraceEnd; relation: string; transactionHash: string };

/** One event of the subject. */
export type TraceEvent = {
  event: string;
  voucherId: string | null;
  redemptionId: string | null;
  kptClaimId: string | null;
  data: unknown;
  logIndex: number;
  transactionHash: string;
  blockNumber: number;
  timestamp: string;
};

/** The record of one end. Its fields are for display; only the identifying fields have types. */
export type TraceRecord = { [field: string]: unknown };
type Mined = { transactionHash: string };

export type TraceClaim = TraceRecord & Mined & { id: string; payment: TraceRecord | null };
export type TraceRedemption = TraceRecord & Mined & { redemptionId: string; claim: TraceClaim | null };
export type TraceVoucher = TraceRecord & Mined & { voucherId: string; redemptions: TraceRedemption[] };
export type TraceItmoBlock = TraceRecord & { id: string; actions: (TraceRecord & Mined & { logIndex: number })[] };

/** Answer of `GET /reports/trace/{id}`: everything around one id, as records and as links. */
export type TraceReport = {
  id: string;
  /** A transaction and a serial within a block can be the subject, but not an end of a step. */
  type: TraceEndType | "transaction" | "itmo-serial";
  /** CARBON is fungible: the trace assumes first in, first out. */
  convention: "fifo";
  campaign: (TraceRecord & { campaignId: string }) | null;
  kptClaims: (TraceRecord & { id: string })[];
  /** The only certificate; null when there are none or several. */
  certificate: TraceRecord | null;
  certificates: (TraceRecord & Mined & { certificateId: string })[];
  vouchers: TraceVoucher[];
  swaps: (TraceRecord & { id: string })[];
  conversions: (TraceRecord & { id: string })[];
  itmoBlocks: TraceItmoBlock[];
  lots: TraceRecord[];
  carbon: { moves: TraceRecord[]; held: TraceRecord[] };
  links: TraceLink[];
  history: TraceEvent[];
  /** Names of the lists that are incomplete; `nextCursor` gives the next part. */
  shownInPart: string[];
  nextCursor: string | null;
};

/** Result of a check; null when it could not run. */
export type CheckStatus = "ok" | "violated" | null;

/** Identifiers and numbers of one violation. */
export type CheckViolation = Record<string, string | number | boolean | null>;

/** One check of double counting. */
export type CheckResult = {
  id: string;
  /** What the check proves when it is ok. */
  title: string;
  status: CheckStatus;
  /** Number of rows examined. */
  examined: number;
  violations: CheckViolation[];
  /** Why there is no result. */
  reason?: string;
  /** Result from the events, and from the contracts where they can be queried. */
  ways: { events: CheckStatus; chain?: CheckStatus };
};

/** Answer of `GET /reports/double-counting`. */
export type DoubleCountingReport = { block: number; checks: CheckResult[] };

/** Tables of the agreed electronic format (AEF), in its order. */
export const aefTableNames = ["submission", "authorizations", "actions", "holdings", "authorizedEntities"] as const;
export type AefTableName = (typeof aefTableNames)[number];
export type AefCell = string | number | null;
/** A rule of the format that a cell breaks. Rows count from 1. */
export type AefProblem = { table: AefTableName; row: number; field: string; problem: string };
/** A field that could not be checked, so it has neither passed nor failed. */
export type AefUnchecked = { table: AefTableName; field: string; reason: string };

/** Answer of `GET /reports/aef` as JSON. */
export type AefReport = {
  party: string;
  year: number;
  block: number;
  asOf: string;
  /** Whether the year is over, so that the tables no longer change. */
  frozen: boolean;
  tables: Record<AefTableName, Record<string, AefCell>[]>;
  validation: AefProblem[];
  unchecked: AefUnchecked[];
};

type Get<Path, Query, Answer> = {
  get: {
    parameters: { path: Path; query?: Query };
    responses: { 200: { content: { "application/json": Answer } } };
  };
  post?: never;
  put?: never;
  patch?: never;
  delete?: never;
};

/** Paths of the reports, in the form of the API's own paths. */
export type ReportPaths = {
  "/reports/trace/{id}": Get<
    { id: string },
    { type?: "certificate" | "campaign"; limit?: number; cursor?: string | undefined },
    TraceReport
  >;
  "/reports/double-counting": Get<undefined, undefined, DoubleCountingReport>;
  "/reports/aef": Get<
    undefined,
    {
      party: string;
      year: string | number;
      keys?: string;
      version?: string;
      format?: string;
      draft?: "true" | undefined;
    },
    AefReport
  >;
};
