/** Answers of the indexer's `/reports`. Amounts are decimals as in the API; serials and ids are text. */

import type { Decimal } from "./exact.ts";

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

/** A record that a search found. */
export type SearchResult = {
  type:
    | "certificate"
    | "campaign"
    | "voucher"
    | "redemption"
    | "claim"
    | "kpt-claim"
    | "swap"
    | "conversion"
    | "itmo-block"
    | "itmo-serial"
    | "transaction"
    | "implementer"
    | "supplier"
    | "product"
    | "authorization"
    | "approach"
    | "household";
  id: string;
  /** Name, or of a certificate found by a serial, the registry. */
  name: string | null;
  status: string | null;
  /** Index on chain; null where the id is enough. */
  index: number | null;
};

/** Answer of `GET /reports/search`: at most five records of each type. */
export type SearchResults = {
  results: SearchResult[];
  /** Types of which there are more. */
  more: SearchResult["type"][];
};

/** How many records have a state. */
export type StatusCount = { status: string; count: number };

/** Answer of `GET /reports/summary`: the scheme in figures. CARBON, unless named otherwise. */
export type SummaryReport<Amount = Decimal> = {
  block: Amount;
  /** Time of the block. */
  asOf: string;
  /** Tonnes CO2e. */
  tonnes: {
    /** The verified reductions of all certificates. */
    verified: Amount;
    /** What was issued of them as vouchers. */
    issued: Amount;
    /** What households have spent and was not given back. */
    spent: Amount;
    /** What became ITMOs. */
    converted: Amount;
  };
  certificates: (StatusCount & { verified: Amount; issued: Amount })[];
  vouchers: (StatusCount & { value: Amount; remaining: Amount })[];
  /** `spent`: what was not given back. */
  redemptions: (StatusCount & { carbon: Amount; spent: Amount })[];
  /** How households agreed to the redemptions that were not given back, from the weakest level. */
  consents: { level: "none" | "pin" | "code" | "signature"; count: number; carbon: Amount }[];
  claims: (StatusCount & { carbon: Amount })[];
  conversions: (StatusCount & { carbon: Amount; tonnes: Amount })[];
  /** The last 30 days (UTC) until the block, oldest first. */
  days: { date: string; issued: Amount; spent: Amount; converted: Amount }[];
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

/** A sum from the events and from the contracts; null when a source does not give it. */
export type TwoWays<Amount = Decimal> = {
  byEvents: Amount | null;
  byChain: Amount | null;
  /** Null when they cannot be compared. */
  agree: boolean | null;
  /** Why a source does not give it. */
  reason?: string;
};

/** The first transfers or uses of one cooperative approach, authorization and subtype. */
export type EmissionsBalanceLine<Amount = Decimal> = {
  /** 1: added to the balance; -1: subtracted. */
  sign: 1 | -1;
  kind: "first transferred" | "used towards NDC";
  cooperativeApproachId: string;
  authorizationId: string;
  /** What made it a first transfer; null for a use. */
  subtype: string | null;
  tonnes: Amount;
  actions: number;
};

/** Answer of `GET /reports/emissions-balance`. Amounts are tonnes. */
export type EmissionsBalanceReport<Amount = Decimal> = {
  party: string;
  year: number;
  block: Amount;
  firstTransferred: TwoWays<Amount>;
  usedTowardsNdc: TwoWays<Amount>;
  /** The contract does not store the year of a use, so only the sum of all years is compared with it. */
  usedTowardsNdcInAllYears: TwoWays<Amount>;
  /** First transferred minus used towards the NDC. */
  balance: Amount;
  lines: EmissionsBalanceLine<Amount>[];
};

/** A rule that the data of a report breaks. */
export type ReportProblem = { rule: string; message: string };

/** One year of a Party's NDC period. Null: not recorded, or not comparable by the Party's method. */
export type NdcAccountingYear<Amount = Decimal> = {
  year: number;
  /** By vintage. */
  firstTransferred: Amount;
  /** By the NDC year that the use names. */
  used: Amount;
  /** First transferred minus used, from the period's first year. */
  cumulative: Amount;
  /** What the Party adds to the year's emissions; an average is rounded to six decimals. */
  adjustment: Amount | null;
  /** The exact average; null unless the Party averages. */
  averageOf: { tonnes: Amount; years: number } | null;
  /** An average before the last year of the period. */
  indicative: boolean;
  emissions: Amount | null;
  adjustedEmissions: Amount | null;
  level: Amount | null;
  aboveLevel: Amount | null;
};

/** Answer of `GET /reports/ndc-accounting`. Amounts are tonnes. */
export type NdcAccountingReport<Amount = Decimal> = {
  party: string;
  year: number;
  block: Amount;
  period: { firstYear: number; lastYear: number } | null;
  method: "trajectory" | "averaging" | "cumulative" | null;
  record: { parameterId: string; source: string } | null;
  years: NdcAccountingYear<Amount>[];
  /** Sums of the elapsed years. Emissions and level only by trajectory or cumulative, if recorded for every one of them. */
  total: {
    firstTransferred: TwoWays<Amount>;
    used: Amount;
    net: Amount;
    adjustedEmissions: Amount | null;
    level: Amount | null;
    aboveLevel: Amount | null;
  };
  problems: ReportProblem[];
};

/** The ITMOs of a certificate with one status. CARBON. */
export type ExceptionUnits<Amount = Decimal> = { status: string; firstTransferred: boolean; carbon: Amount };

/** A block of ITMOs with CARBON of a certificate. */
export type ExceptionBlock<Amount = Decimal> = ExceptionUnits<Amount> & {
  id: string;
  uniqueId: string;
  authorizationId: string;
  party: string | null;
  /** What the regulator has left of its authorization; what was first transferred keeps all of it. */
  authorizationStatus: AuthorizationStatus | "first-transferred";
};

/** A certificate that is suspended or revoked, and what happened to its CARBON. */
export type ExceptionCertificate<Amount = Decimal> = {
  certificateId: string;
  status: "suspended" | "revoked";
  /** Null if the index does not have the change. */
  reason: string | null;
  since: string | null;
  /** Until then the guardian can veto the revocation; null for a suspended certificate. */
  revocationFinalAt: string | null;
  implementerDid: string;
  vintage: number;
  verified: Amount;
  /** Issued as vouchers, less what cancelling and burning returned. */
  issued: TwoWays<Amount>;
  /** What the vouchers can still spend, or could if they were not stopped. */
  unspent: Amount;
  /** Redeemed, and neither paid nor given back. */
  openRedemptions: Amount;
  /** Paid for a claim, or swept. */
  released: Amount;
  /** Burned in the voucher ledger, or returned to be issued again. */
  burned: Amount;
  /** In conversions that are not finalised. */
  inConversions: Amount;
  /** Became ITMOs. */
  converted: Amount;
  /** Tonnes cancelled from the invalidation buffer because it was revoked. */
  bufferCancelled: Amount;
  /** What is behind the CARBON that became ITMOs, by status. */
  units: ExceptionUnits<Amount>[];
  /** At most 500. */
  blocks: ExceptionBlock<Amount>[];
};

/** What an implementer of such a certificate owes. CARBON. */
export type ExceptionImplementer<Amount = Decimal> = {
  did: string;
  debt: TwoWays<Amount>;
  repaid: Amount;
  replacement: TwoWays<Amount>;
  replaced: Amount;
};

/** What the regulator has left of an authorization. While a change is announced, the guardian can veto it. */
type AuthorizationStatus = "authorized" | "reduction-announced" | "reduced" | "revocation-announced" | "revoked";

/** An authorization that was reduced or revoked, or under which such a certificate's CARBON was converted. Tonnes. */
export type ExceptionAuthorization<Amount = Decimal> = {
  status: AuthorizationStatus;
  /** Of the registration: units that were first transferred keep it. */
  purpose: string;
  /** For units that were not; null when nothing was taken away. Its `purpose` is null when the authorization is revoked. */
  left: { purpose: string | null; quantity: Amount; finalAt: string } | null;
  authorizationId: string;
  cooperativeApproachId: string;
  version: number;
  quantity: Amount;
  committed: Amount;
  issued: Amount;
  /** What a new version can take away: neither requested nor issued. */
  reducible: Amount;
  /** All of its units that were first transferred, and the others. */
  firstTransferred: Amount;
  notFirstTransferred: Amount;
};

/** A claim that a campaign's certificate rests on, and that was revoked since. */
export type ExceptionClaim = {
  certificateId: string;
  certificateStatus: string;
  campaignId: string;
  claimId: string;
  reason: string;
  revokedAt: string;
};

/** Answer of `GET /reports/exceptions`. */
export type ExceptionsReport<Amount = Decimal> = {
  block: Amount;
  certificates: ExceptionCertificate<Amount>[];
  implementers: ExceptionImplementer<Amount>[];
  authorizations: ExceptionAuthorization<Amount>[];
  /** On the first page, at most 500, the latest first. */
  revokedClaims: ExceptionClaim[];
  nextCursor: string | null;
};

/** Whether units are eligible in a phase of CORSIA; `missing` has each reason why not. */
export type CorsiaLabel = {
  phase: "pilot-phase" | "first-phase" | "second-phase";
  /** The phase's compliance years. */
  firstYear: number;
  lastYear: number;
  eligible: boolean;
  /** The regulator's record of the registry and phase, with its source; null if there is none. */
  record: { parameterId: string; source: string } | null;
  missing: ("registry-recorded" | "period-eligible" | "certificate-valid" | "purpose-authorized")[];
};

/** ITMOs of one certificate, authorization and status. CARBON. */
export type CorsiaUnits<Amount = Decimal> = {
  certificateId: string;
  registry: string;
  vintage: number;
  authorizationId: string;
  /** Null when the authorization is revoked. */
  purpose: string | null;
  status: string;
  carbon: Amount;
  labels: CorsiaLabel[];
};

/** Answer of `GET /reports/corsia`. */
export type CorsiaReport<Amount = Decimal> = { party: string; block: Amount; units: CorsiaUnits<Amount>[] };

/** Movements of a day by name, such as `redeemed`: amounts, and numbers of redemptions, claims, payments and disputes. */
export type DayTotals<Amount = Decimal> = Record<string, Amount>;

/** Amounts before and after a day by name, such as `carbonBalance`. */
export type DayBalances<Amount = Decimal> = Record<string, { opening: TwoWays<Amount>; closing: TwoWays<Amount> }>;

/** A supplier's or an implementer's day. */
export type ReconciledParty<Amount = Decimal> = {
  did: string;
  name: string;
  account: string;
  totals: DayTotals<Amount>;
  balances: DayBalances<Amount>;
};

export type ReconciliationItemType =
  | "redemption"
  | "claim"
  | "payment"
  | "refund"
  | "rejection"
  | "dispute"
  | "resolution"
  | "debt"
  | "waiver"
  | "replacement"
  | "sale"
  | "purchase"
  | "conversion-requested"
  | "conversion-finalised"
  | "conversion-reverted"
  | "units-buffered"
  | "units-cancelled"
  | "units-released";

/** An event of the day. */
export type ReconciliationItem<Amount = Decimal> = {
  type: ReconciliationItemType;
  /** Public id of its subject: for an implementer's debt the revoked certificate; null for a supplier's debt. */
  id: string | null;
  carbon: Amount | null;
  stablecoin: Amount | null;
  /** Further information, such as the reason of a dispute. */
  detail: string | null;
  timestamp: string;
  transactionHash: string;
  /** API path of the signed receipt; null when there is none. */
  receipt: string | null;
};

/** The part of a reconciliation that depends on the query: every supplier and the pool, or one party item by item. */
export type ReconciliationParts<Amount = Decimal> = { nextCursor: string | null } & (
  | { pool: { totals: DayTotals<Amount>; reserves: DayBalances<Amount> }; suppliers: ReconciledParty<Amount>[] }
  | { supplier: ReconciledParty<Amount>; items: ReconciliationItem<Amount>[] }
  | { implementer: ReconciledParty<Amount>; items: ReconciliationItem<Amount>[] }
);

/** Answer of `GET /reports/reconciliation`. */
export type ReconciliationReport<Amount = Decimal> = {
  /** `YYYY-MM-DD`, UTC. */
  date: string;
  /** Whether the day has ended. */
  over: boolean;
  /** Last block before the day, null before the chain's first block; last block of the day so far. */
  blocks: { opening: Amount | null; closing: Amount };
} & ReconciliationParts<Amount>;

/** CSV has a row for each line of the report; ask for it with `raw`. */
export type ReportFormat = "json" | "csv";

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

/** Paths of the reports, in the form of the API's paths. */
export type ReportPaths = {
  "/reports/trace/{id}": Get<
    { id: string },
    { type?: "certificate" | "campaign"; limit?: number; cursor?: string | undefined },
    TraceReport
  >;
  "/reports/search": Get<undefined, { q: string }, SearchResults>;
  "/reports/summary": Get<undefined, undefined, SummaryReport>;
  "/reports/double-counting": Get<undefined, undefined, DoubleCountingReport>;
  "/reports/emissions-balance": Get<undefined, { party: string; year: string | number }, EmissionsBalanceReport>;
  "/reports/ndc-accounting": Get<
    undefined,
    { party: string; year: string | number; format?: ReportFormat },
    NdcAccountingReport
  >;
  "/reports/corsia": Get<undefined, { party: string; format?: ReportFormat }, CorsiaReport>;
  "/reports/exceptions": Get<
    undefined,
    { certificateId?: string; limit?: number; cursor?: string | undefined; format?: ReportFormat },
    ExceptionsReport
  >;
  "/reports/reconciliation": Get<
    undefined,
    {
      date: string;
      supplierDid?: string | undefined;
      implementerDid?: string | undefined;
      limit?: number;
      cursor?: string | undefined;
    },
    ReconciliationReport
  >;
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
