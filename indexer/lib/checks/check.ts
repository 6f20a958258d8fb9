import type { CheckResult, CheckStatus, CheckViolation } from "../../../wire/src/reports.ts";
import { type Ask, int, readStanding, type SqlRow, text } from "../reports/ask.ts";
import type { ChainState } from "../reports/chain-state.ts";

export type OpenChain = (block: bigint) => ChainState;

/** A check by the rows that the events left. Its texts are SELECTs; the database does the work. */
export type RowCheck = {
  id: string;
  /** What holds when it is ok. */
  title: string;
  /** One row, `n`: how many things it looks at. */
  examined: string;
  /** A row for each violation; wide integers as text. */
  violations: string;
  /** One row, `n`: how many of them lack what it takes to tell; and why that is. */
  missing?: { count: string; reason: string };
  /** The same by the contracts' own views at the block that the index stands at. */
  chain?: (ask: Ask, chain: ChainState) => Promise<ChainVerdict>;
};

/** What the contracts' views say; null with a reason where they could not be read. */
export type ChainVerdict = { violations: CheckViolation[] } | { violations: null; reason: string };

/** So many violations of a check are told. */
export const mostViolations = 100;

function plain(row: SqlRow): CheckViolation {
  const entries = Object.entries(row).map(([name, value]) => {
    const isPlain = value === null || ["string", "number", "boolean"].includes(typeof value);
    return [name, isPlain ? value : text(value)];
  });
  return Object.fromEntries(entries) as CheckViolation;
}

type Found = { status: CheckStatus; examined: number; violations: CheckViolation[]; reason?: string };

async function lookAtRows(ask: Ask, check: RowCheck): Promise<Found> {
  const [counted] = await ask(check.examined);
  const examined = int(counted?.n ?? 0);
  const rows = await ask(`select * from (${check.violations}) as found limit ${mostViolations}`);
  const violations = rows.map(plain);
  if (violations.length > 0) return { status: "violated", examined, violations };
  const [lacking] = check.missing === undefined ? [] : await ask(check.missing.count);
  if (check.missing !== undefined && int(lacking?.n ?? 0) > 0) {
    return { status: null, examined, violations, reason: `${int(lacking?.n)} of them: ${check.missing.reason}` };
  }
  if (examined === 0) return { status: null, examined, violations, reason: "There is nothing to examine yet." };
  return { status: "ok", examined, violations };
}

/** How often rows and chain are compared while blocks go by. */
const mostAttempts = 5;

/**
 * Compare the rows with the contracts at the block that they stand at. A difference counts only when no block came in
 * between: else the rows may just have been newer.
 */
async function lookAtChain(
  ask: Ask,
  openChain: OpenChain,
  look: NonNullable<RowCheck["chain"]>,
): Promise<ChainVerdict> {
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const { block } = await readStanding(ask);
    const told = await look(ask, openChain(block));
    if (told.violations === null || told.violations.length === 0) return told;
    if ((await readStanding(ask)).block === block) return told;
  }
  return { violations: null, reason: "blocks came in faster than they could be compared." };
}

/** Carry out a check both ways; it is violated when either finds something, and never ok where the rows cannot tell. */
export async function carryOut(ask: Ask, openChain: OpenChain, check: RowCheck): Promise<CheckResult> {
  const { id, title } = check;
  const { reason, ...rows } = await lookAtRows(ask, check);
  const because = reason === undefined ? {} : { reason };
  if (check.chain === undefined || rows.examined === 0) {
    return { id, title, ...rows, ...because, ways: { events: rows.status } };
  }
  const told = await lookAtChain(ask, openChain, check.chain);
  if (told.violations === null) {
    const why = [reason, `Not compared with the chain: ${told.reason}`].filter((each) => each !== undefined).join(" ");
    return { id, title, ...rows, reason: why, ways: { events: rows.status, chain: null } };
  }
  const isViolated = told.violations.length > 0;
  return {
    id,
    title,
    ...rows,
    ...because,
    status: isViolated ? "violated" : rows.status,
    violations: [...rows.violations, ...told.violations].slice(0, mostViolations),
    ways: { events: rows.status, chain: isViolated ? "violated" : "ok" },
  };
}
