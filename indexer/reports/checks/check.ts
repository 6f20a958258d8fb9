import type { CheckResult, CheckStatus, CheckViolation } from "../../../wire/src/reports.ts";
import { type Ask, int, readStanding, type SqlRow, text } from "../ask.ts";
import type { ChainState } from "../chain-state.ts";

export type OpenChain = (block: bigint) => ChainState;

/** A check of the rows that events wrote. Its texts are SELECTs, which the database runs. */
export type RowCheck = {
  id: string;
  /** The property that the check verifies. */
  title: string;
  /** One row, `n`: how many things it examines. */
  examined: string;
  /** A row for each violation; wide integers as text. */
  violations: string;
  /** One row, `n`: how many of them cannot be examined; and why. */
  missing?: { count: string; reason: string };
  /** The same check with the contracts' views at the index's last block. */
  chain?: (ask: Ask, chain: ChainState) => Promise<ChainVerdict>;
};

/** The result of the contracts' views; null with a reason if they could not be read. */
export type ChainVerdict = { violations: CheckViolation[] } | { violations: null; reason: string };

/** Most violations of a check that are listed. */
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

/** How often rows and chain are compared while new blocks arrive. */
const mostAttempts = 5;

/**
 * Compare the rows with the contracts at the rows' last block. A difference counts only if no block arrived in between: otherwise
 * the rows may just be newer.
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
  return { violations: null, reason: "blocks arrived faster than they could be compared." };
}

/** Run a check on rows and on chain. It is violated if either finds something, and never ok if the rows cannot be examined. */
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
