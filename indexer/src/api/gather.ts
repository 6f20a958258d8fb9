import { db } from "ponder:api";
import { carbonMove, redemption, voucher } from "ponder:schema";
import { and, asc, eq, gt, inArray } from "ponder";
import { arrivalOf, departureOf, type Flow, type Move, noFlow, type Piece, walkBack, walkForth } from "./flow.ts";
import { type Lot, lotsOf, lotsWithin, releasesOf, type Serials, spanOf } from "./itmo-trace.ts";
import { cursorAfter, cursorBehind, type Page } from "./page.ts";
import type { ItmoSubject, Subject } from "./subject.ts";

export type Voucher = typeof voucher.$inferSelect;
export type Redemption = typeof redemption.$inferSelect;

/** The rows of a trace around its subject; `cut` names the lists that are shown only in part. */
export type Gathered = {
  vouchers: Voucher[];
  redemptions: Redemption[];
  lots: Lot[];
  flow: Flow;
  /** Swaps of the flow in addition to those of its movements. */
  swaps: bigint[];
  asked: Serials | undefined;
  nextCursor: string | null;
  cut: string[];
};

/** Vouchers are rarely reissued; a longer chain of reissues is shown in part. */
const longestChain = 100;
const mostRedemptions = 1_000;
/** Page size of the sources of ITMOs and swaps: each row also has its voucher, claim and payment. */
const largestPage = 100;

const unique = <T>(values: T[]): T[] => [...new Set(values)];
const present = <T>(values: (T | null)[]): T[] => values.filter((value) => value !== null);

/** Read a page of a certificate's vouchers, or the requested one with those that it replaces or that replace it. */
async function vouchersOf(subject: Subject, index: number | null, page: Page): Promise<Voucher[]> {
  if (index === null) return [];
  if (subject.type !== "voucher" && subject.type !== "redemption" && subject.type !== "claim") {
    const own = and(eq(voucher.certificateIndex, index), gt(voucher.id, page.after));
    return db.select().from(voucher).where(own).orderBy(asc(voucher.id)).limit(page.limit);
  }
  const id = subject.type === "voucher" ? subject.row.id : subject.row.voucherId;
  const chain = new Map<bigint, Voucher>();
  let wanted: bigint[] = [id];
  while (wanted.length > 0 && chain.size < longestChain) {
    const rows = await db.select().from(voucher).where(inArray(voucher.id, wanted));
    for (const row of rows) chain.set(row.id, row);
    wanted = rows
      .flatMap((row) => [row.replacesId, row.replacedById])
      .filter((next) => next !== null && !chain.has(next)) as bigint[];
  }
  return [...chain.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
}

/** Read the redemptions of vouchers; those of one voucher in pages, because it may have any number. */
async function redemptionsOf(subject: Subject, vouchers: Voucher[], page: Page): Promise<Redemption[]> {
  if (subject.type === "redemption" || subject.type === "claim") {
    return db.select().from(redemption).where(eq(redemption.id, subject.row.id));
  }
  const ids = vouchers.map(({ id }) => id);
  if (ids.length === 0) return [];
  const own = inArray(redemption.voucherId, ids);
  if (subject.type === "voucher") {
    const behind = and(own, gt(redemption.id, page.after));
    return db.select().from(redemption).where(behind).orderBy(asc(redemption.id)).limit(page.limit);
  }
  return db.select().from(redemption).where(own).orderBy(asc(redemption.sequence)).limit(mostRedemptions);
}

/** Gather from a certificate or campaign, or from a record between them and a payment, on to the ITMOs. */
export async function gatherForth(
  subject: Subject,
  index: number | null,
  page: Page,
  claims: { id: bigint }[],
): Promise<Gathered> {
  const vouchers = await vouchersOf(subject, index, page);
  const redemptions = await redemptionsOf(subject, vouchers, page);
  const ids = redemptions.map(({ id }) => id);
  // The rest of an expired voucher left escrow without a redemption.
  const isOfOne = subject.type === "redemption" || subject.type === "claim";
  const rests = isOfOne ? [] : vouchers.filter(({ status }) => status === "swept").map(({ id }) => id);
  const [lots, releases] = await Promise.all([lotsOf(ids, rests), releasesOf(ids, rests)]);
  const onward = releases.length === 0 ? noFlow : await walkForth(releases.map(arrivalOf));
  const list = isOfOne ? [] : subject.type === "voucher" ? redemptions : vouchers;
  return {
    vouchers,
    redemptions,
    lots,
    flow: { ...onward, moves: [...releases, ...onward.moves] },
    swaps: [],
    asked: undefined,
    nextCursor: cursorAfter(page, list, claims),
    cut: [
      ...(redemptions.length === mostRedemptions ? ["redemptions"] : []),
      ...(onward.isCut ? ["moves"] : []),
      ...(lots.length >= mostRedemptions ? ["lots"] : []),
    ],
  };
}

type Source = { redemptionId: bigint | null; voucherId: bigint | null };

/** Read the vouchers and redemptions that CARBON came from. */
async function behind(sources: Source[]) {
  const ids = unique(present(sources.map(({ redemptionId }) => redemptionId)));
  const voucherIds = unique(present(sources.map(({ voucherId }) => voucherId)));
  const [redemptions, vouchers] = await Promise.all([
    ids.length === 0
      ? []
      : db.select().from(redemption).where(inArray(redemption.id, ids)).orderBy(asc(redemption.sequence)),
    voucherIds.length === 0
      ? []
      : db.select().from(voucher).where(inArray(voucher.id, voucherIds)).orderBy(asc(voucher.id)),
  ]);
  return { redemptions, vouchers };
}

const sizeOf = ({ limit }: Page) => Math.min(limit, largestPage);

/** Gather from ITMOs or their conversion back to the certificates: a page of their source lots. */
export async function gatherItmos({ row, serials }: ItmoSubject, page: Page): Promise<Gathered> {
  const whole = { account: row.publicId, lo: 0n, hi: row.amount };
  const span = serials === undefined ? whole : spanOf(row, serials);
  if (row.status !== "finalised") return gatherSpan(span, page, noFlow);
  const limit = sizeOf(page);
  const lots = await lotsWithin(row.index, span, { after: page.after, limit });
  const [first, last] = [lots[0], lots.at(-1)];
  const shown = first && last && { account: row.publicId, lo: first.offset, hi: last.offset + last.amount };
  const flow = shown === undefined ? noFlow : await walkBack([shown]);
  return {
    ...(await behind(lots)),
    lots,
    flow,
    swaps: [],
    asked: serials,
    nextCursor: cursorBehind(page, lots.length === limit ? (last?.offset ?? null) : null),
    cut: flow.isCut ? ["moves"] : [],
  };
}

/** Gather a page of the sources of a part of what an account received, and where it went. */
async function gatherSpan(
  span: { account: string; lo: bigint; hi: bigint },
  page: Page,
  onward: Flow,
): Promise<Gathered> {
  const from = page.after < 0n ? 0n : page.after;
  const back = span.lo + from < span.hi ? await walkBack([{ ...span, lo: span.lo + from }]) : noFlow;
  const pieces: Piece[] = back.pieces.slice(0, sizeOf(page));
  const last = pieces.at(-1);
  const end = last === undefined ? span.hi - span.lo : from + last.at + last.amount;
  return {
    ...(await behind(pieces.map(({ move }) => ({ redemptionId: move.redemptionId, voucherId: move.voucherId })))),
    lots: [],
    flow: { ...onward, moves: [...back.moves, ...onward.moves], pieces },
    swaps: [],
    asked: undefined,
    nextCursor: cursorBehind(page, end < span.hi - span.lo ? end : null),
    cut: back.isCut || onward.isCut ? ["moves"] : [],
  };
}

/** Gather from a swap back to the certificates and forward to the ITMOs. */
export async function gatherSwap({ row }: Extract<Subject, { type: "swap" }>, page: Page): Promise<Gathered> {
  const [move] =
    row.moveSequence === null
      ? []
      : await db.select().from(carbonMove).where(eq(carbonMove.sequence, row.moveSequence));
  if (move === undefined) return { ...nothing, swaps: [row.sequence] };
  const onward = await walkForth([arrivalOf(move)]);
  const gathered =
    move.kind === "release"
      ? { ...nothing, ...(await behind([move])), flow: onward }
      : await gatherSpan(departureOf(move), page, onward);
  const moves = withFirst(move, gathered.flow.moves);
  return { ...gathered, flow: { ...gathered.flow, moves }, swaps: [row.sequence] };
}

const withFirst = (move: Move, others: Move[]): Move[] =>
  [move, ...others.filter(({ sequence }) => sequence !== move.sequence)].sort((a, b) =>
    a.sequence < b.sequence ? -1 : 1,
  );

/** Gather what one transaction moved and redeemed. */
export async function gatherTransaction(hash: `0x${string}`): Promise<Gathered> {
  const [moves, redeemed] = await Promise.all([
    db
      .select()
      .from(carbonMove)
      .where(eq(carbonMove.transactionHash, hash))
      .orderBy(asc(carbonMove.sequence))
      .limit(mostRedemptions),
    db
      .select({ id: redemption.id })
      .from(redemption)
      .where(eq(redemption.transactionHash, hash))
      .limit(mostRedemptions),
  ]);
  const ids = redeemed.map(({ id }) => ({ redemptionId: id, voucherId: id >> 32n }));
  const sources = [...ids, ...moves.map(({ redemptionId, voucherId }) => ({ redemptionId, voucherId }))];
  return {
    ...nothing,
    ...(await behind(sources)),
    flow: { ...noFlow, moves },
    cut: moves.length === mostRedemptions || redeemed.length === mostRedemptions ? ["moves"] : [],
  };
}

const nothing: Gathered = {
  vouchers: [],
  redemptions: [],
  lots: [],
  flow: noFlow,
  swaps: [],
  asked: undefined,
  nextCursor: null,
  cut: [],
};
