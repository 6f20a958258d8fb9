import { encodeConversionId } from "../../../../wire/src/ids.ts";
import { isoTime } from "../../../platform/chain/index.ts";
import { toPage } from "../../../platform/http/index.ts";
import { jsonScaled } from "../../../platform/values/numbers.ts";
import { indexAfter } from "../../registry/index.ts";
import { implementerDidOf } from "../access.ts";
import { TONNE } from "../conversions/lots.ts";
import type { ItmoDeps } from "../deps.ts";
import type { BufferHold, BufferQuery } from "./schemas.ts";

export const SECONDS_PER_DAY = 86_400;
/** No conversion has a higher number, so its terms are those of the next one. */
const UINT32_MAX = 2 ** 32 - 1;

/** Read the terms of the next conversions, and the limits of terms. */
export async function getBufferTerms({ chain }: ItmoDeps) {
  const [{ share, holdDays }, largestShare, longestHoldDays, longestSuspension] = await Promise.all([
    chain.read("invalidationBuffer", "termsOf", [UINT32_MAX]),
    chain.read("invalidationBuffer", "MAX_SHARE", []),
    chain.read("invalidationBuffer", "MAX_HOLD_DAYS", []),
    chain.read("invalidationBuffer", "MAX_SUSPENSION", []),
  ]);
  return {
    sharePercent: jsonScaled(BigInt(share), 2),
    holdDays,
    largestSharePercent: jsonScaled(BigInt(largestShare), 2),
    longestHoldDays,
    longestSuspensionDays: Number(longestSuspension) / SECONDS_PER_DAY,
  };
}

/** List what the buffer held of each conversion, in the order of the conversions. */
export async function listBuffered(deps: ItmoDeps, query: BufferQuery) {
  const after = indexAfter(query.cursor);
  const { implementerDid: asked } = query;
  const implementer = asked === undefined ? undefined : await deps.registry.implementers.byDid(asked);
  if (implementer === null) return { items: [], nextCursor: null };
  const events = await deps.chain.past("invalidationBuffer", "UnitsBuffered", {});
  const found: { conversion: number; implementer: number }[] = [];
  const numbers = events.map(({ args }) => args.conversion).sort((a, b) => a - b);
  for (const conversion of numbers) {
    if (conversion <= after || found.length > query.limit) continue;
    const row = await deps.itmo.conversion(conversion);
    if (row === null || (implementer !== undefined && row.implementer !== implementer.implementer)) continue;
    found.push(row);
  }
  const { items, nextCursor } = toPage(found, query.limit, (row) => [row.conversion]);
  const shown = await Promise.all(
    items.map(async (row) => {
      const [hold, did] = await Promise.all([readHold(deps, row.conversion), implementerDidOf(deps, row.implementer)]);
      if (hold === null) return [];
      return [{ conversionId: encodeConversionId(BigInt(row.conversion)), implementerDid: did || null, ...hold }];
    }),
  );
  return { items: shown.flat(), nextCursor };
}

/** Read what the buffer holds of a conversion, by the latest block's time; null if it never held anything of it. */
export async function readHold(deps: ItmoDeps, conversion: number): Promise<BufferHold | null> {
  const { heldUntil } = await deps.chain.read("invalidationBuffer", "holdOf", [conversion]);
  return heldUntil === 0 ? null : readHistory(deps, conversion);
}

async function readHistory(deps: ItmoDeps, conversion: number): Promise<BufferHold | null> {
  const { chain } = deps;
  const [state, [first], releases] = await Promise.all([
    readState(deps, conversion),
    chain.past("invalidationBuffer", "UnitsBuffered", { conversion }),
    chain.past("invalidationBuffer", "BufferedUnitsReleased", { conversion }),
  ]);
  if (first === undefined) return null;
  const { cancellations } = state;
  const changes = [
    ...cancellations.map((event) => ({ event, kind: "cancellation" as const, certificate: event.args.certificate })),
    ...releases.map((event) => ({ event, kind: "release" as const, certificate: null })),
  ].sort((a, b) => Number(a.event.blockNumber - b.event.blockNumber) || a.event.logIndex - b.event.logIndex);
  const { firstId, lastId } = first.args;
  const tonnesOf = (events: { args: { firstId: bigint; lastId: bigint } }[]) =>
    events.reduce((sum, { args }) => sum + args.lastId - args.firstId + 1n, 0n);
  return {
    status: state.status,
    firstId: `${firstId}`,
    lastId: `${lastId}`,
    quantity: jsonScaled(lastId - firstId + 1n, 0),
    held: jsonScaled(state.held, 0),
    cancelled: jsonScaled(tonnesOf(cancellations), 0),
    released: jsonScaled(tonnesOf(releases), 0),
    dueToCancel: jsonScaled(state.due, 0),
    heldUntil: isoTime(state.heldUntil),
    waitingFor: await Promise.all(state.waitingFor.map((certificate) => certificateIdOf(deps, certificate))),
    changes: await Promise.all(
      changes.map(async ({ event, kind, certificate }) => ({
        kind,
        certificateId: certificate === null ? null : await certificateIdOf(deps, certificate),
        firstId: `${event.args.firstId}`,
        lastId: `${event.args.lastId}`,
        quantity: jsonScaled(event.args.lastId - event.args.firstId + 1n, 0),
        at: (await deps.registry.ledger.timeOf(event.blockNumber)).toISOString(),
        transactionHash: event.transactionHash,
      })),
    ),
  };
}

/** What is held of a conversion, by the latest block's time. `due`: tonnes that can be cancelled now. */
export async function readState(deps: ItmoDeps, conversion: number) {
  const { chain } = deps;
  const [{ held, heldUntil }, now, cancellations] = await Promise.all([
    chain.read("invalidationBuffer", "holdOf", [conversion]),
    chain.now(),
    chain.past("invalidationBuffer", "BufferedUnitsCancelled", { conversion }),
  ]);
  const cancelledLots = new Set(cancellations.map(({ args }) => args.certificate));
  const { due, waitingFor } = await readLots(deps, conversion, { held, heldUntil, now, cancelledLots });
  return { held, heldUntil, due, waitingFor, cancellations, status: statusOf({ held, heldUntil, now, waitingFor }) };
}

type Standing = { held: bigint; heldUntil: number; now: bigint; waitingFor: readonly number[] };

function statusOf({ held, heldUntil, now, waitingFor }: Standing): BufferHold["status"] {
  if (held === 0n) return "ended";
  if (Number(now) < heldUntil) return "held";
  return waitingFor.length === 0 ? "releasable" : "waiting";
}

const certificateIdOf = async ({ certificates }: ItmoDeps, certificate: number): Promise<string> =>
  (await certificates.byIndex(certificate))?.certificateId ?? "";

type Held = { held: bigint; heldUntil: number; now: bigint; cancelledLots: ReadonlySet<number> };

/**
 * Find what the contract would cancel now, and the certificates that a release waits for.
 * @returns due in tonnes
 */
async function readLots(deps: ItmoDeps, conversion: number, { held, heldUntil, now, cancelledLots }: Held) {
  const { chain } = deps;
  const waitingFor: number[] = [];
  if (held === 0n) return { due: 0n, waitingFor };
  const [lots, longestSuspension] = await Promise.all([
    chain.read("certificates", "lotsOf", [chain.addresses.itmo, conversion]),
    chain.read("invalidationBuffer", "MAX_SUSPENSION", []),
  ]);
  const states = await Promise.all(
    lots.map(async ({ certificate, amount }) => {
      const [isSpendable, finalFrom] = await Promise.all([
        chain.read("certificates", "isSpendable", [certificate]),
        chain.read("vouchers", "revocationFinalFrom", [certificate]),
      ]);
      return { certificate, amount, isSpendable, finalFrom };
    }),
  );
  let due = 0n;
  for (const { certificate, amount, isSpendable, finalFrom } of states) {
    if (isSpendable) continue;
    const isFinal = finalFrom !== 0 && Number(now) >= finalFrom * SECONDS_PER_DAY;
    if (isFinal && !cancelledLots.has(certificate)) due += (amount + TONNE - 1n) / TONNE;
    const isDelaying = finalFrom !== 0 || Number(now) < heldUntil + Number(longestSuspension);
    if (!isFinal && isDelaying) waitingFor.push(certificate);
  }
  return { due: due < held ? due : held, waitingFor };
}
