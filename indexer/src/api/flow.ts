import { db } from "ponder:api";
import { carbonAccount, carbonMove } from "ponder:schema";
import { inArray, sql } from "ponder";
import { zeroAddress } from "viem";
import { larger, smaller } from "../../lib/bigints.ts";

export type Move = typeof carbonMove.$inferSelect;
/** A part of what an account received or sent. Both are counted in the same order, first in, first out. */
export type Span = { account: string; lo: bigint; hi: bigint };
/** A release that is the source of a span, and its position in the span. */
export type Piece = { at: bigint; amount: bigint; move: Move };
/** The movements between spans and releases, in chain order; `isCut` if there are more than are shown. */
export type Flow = { moves: Move[]; pieces: Piece[]; held: { account: string; amount: bigint }[]; isCut: boolean };

export const noFlow: Flow = { moves: [], pieces: [], held: [], isCut: false };

/** Most pieces of one search, and most consecutive accounts through which CARBON is followed. */
const mostPieces = 100;
const mostSteps = 64;

type Wanted = Span & { at: bigint };

/** Find the movements that overlap spans of one side, in order, with a limit for each span. */
async function overlapping(spans: Wanted[], side: "from" | "to"): Promise<{ span: Wanted; moves: Move[] }[]> {
  const account = sql.raw(`c.${side}_account`);
  const offset = sql.raw(`c.${side}_offset`);
  const rows = spans.map(
    ({ account: name, lo, hi }, n) =>
      sql`(${n}::integer, ${name}::text, ${String(lo)}::numeric, ${String(hi)}::numeric)`,
  );
  // The row that covers the span's start is the last one that does not start after it: two index lookups.
  const answer = await db.execute(sql`
    select s.n, m.sequence::text from (values ${sql.join(rows, sql`, `)}) s (n, account, lo, hi) cross join lateral (
      select c.sequence, ${offset} as begins from ${carbonMove} c where ${account} = s.account and ${offset} < s.hi
        and ${offset} >= coalesce((select max(${offset}) from ${carbonMove} c where ${account} = s.account
          and ${offset} <= s.lo), 0)
      order by ${offset} limit ${sql.raw(String(mostPieces + 1))}
    ) m order by s.n, m.begins`);
  const found = answer.rows as { n: number; sequence: string }[];
  const wanted = [...new Set(found.map(({ sequence }) => BigInt(sequence)))];
  const moves =
    wanted.length === 0 ? [] : await db.select().from(carbonMove).where(inArray(carbonMove.sequence, wanted));
  const bySequence = new Map(moves.map((move) => [move.sequence, move]));
  return spans.map((span, n) => ({
    span,
    moves: found
      .filter((row) => row.n === n)
      .map(({ sequence }) => bySequence.get(BigInt(sequence)))
      .filter((move) => move !== undefined),
  }));
}

const inOrder = (moves: Map<bigint, Move>): Move[] =>
  [...moves.values()].sort((a, b) => (a.sequence < b.sequence ? -1 : 1));

/** Convert the part of a span in a movement to the positions of the movement's other side. */
function partOf({ span, move, side }: { span: Wanted; move: Move; side: "from" | "to" }): Wanted | undefined {
  const [here, there] = side === "to" ? [move.toOffset, move.fromOffset] : ([move.fromOffset, move.toOffset] as const);
  const lo = larger(span.lo, here);
  const hi = smaller(span.hi, here + move.amount);
  if (lo >= hi) return undefined;
  const account = side === "to" ? move.fromAccount : move.toAccount;
  return { account, lo: lo - here + there, hi: hi - here + there, at: span.at + lo - span.lo };
}

type Open = { span: Wanted; move: Move | undefined };

const isSource = (move: Move | undefined) => move !== undefined && (move.kind === "release" || move.kind === "mint");

/** Follow spans back to the releases that they came from; return the first pieces, in the spans' order. */
export async function walkBack(starts: Span[]): Promise<Flow> {
  const moves = new Map<bigint, Move>();
  let front: Open[] = starts.map((span) => ({ span: { ...span, at: 0n }, move: undefined }));
  let isCut = false;
  for (let step = 0; step < mostSteps; step += 1) {
    const open = front.filter(({ move }) => !isSource(move));
    if (open.length === 0) break;
    const found = new Map(
      (
        await overlapping(
          open.map(({ span }) => span),
          "to",
        )
      ).map((one) => [one.span, one.moves]),
    );
    const next = front.flatMap((entry): Open[] =>
      isSource(entry.move)
        ? [entry]
        : (found.get(entry.span) ?? []).flatMap((move) => {
            const span = partOf({ span: entry.span, move, side: "to" });
            return span === undefined ? [] : [{ span, move }];
          }),
    );
    isCut ||= next.length > mostPieces || step === mostSteps - 1;
    front = next.slice(0, mostPieces);
    for (const { move } of front) if (move !== undefined) moves.set(move.sequence, move);
  }
  const pieces = front.flatMap(({ span, move }) =>
    move?.kind === "release" ? [{ at: span.at, amount: span.hi - span.lo, move }] : [],
  );
  return { moves: inOrder(moves), pieces, held: [], isCut };
}

/** Follow spans forward to where they were burned or are held now. */
export async function walkForth(starts: Span[]): Promise<Flow> {
  const moves = new Map<bigint, Move>();
  const held = new Map<string, bigint>();
  let front: Wanted[] = starts.map((span) => ({ ...span, at: 0n }));
  let isCut = false;
  for (let step = 0; front.length > 0 && step < mostSteps; step += 1) {
    await addHeld(held, front);
    const next = (await overlapping(front, "from")).flatMap(({ span, moves: own }) =>
      own.flatMap((move) => {
        const part = partOf({ span, move, side: "from" });
        if (part !== undefined) moves.set(move.sequence, move);
        return part === undefined || part.account === zeroAddress ? [] : [part];
      }),
    );
    isCut ||= next.length > mostPieces || (step === mostSteps - 1 && next.length > 0);
    front = next.slice(0, mostPieces);
  }
  return {
    moves: inOrder(moves),
    pieces: [],
    held: [...held].map(([account, amount]) => ({ account, amount })),
    isCut,
  };
}

/** CARBON that an account has not sent on is still there. */
async function addHeld(held: Map<string, bigint>, spans: Span[]): Promise<void> {
  const names = [...new Set(spans.map(({ account }) => account))];
  const rows = await db.select().from(carbonAccount).where(inArray(carbonAccount.account, names));
  const sent = new Map(rows.map((row) => [row.account, row.sent]));
  for (const { account, lo, hi } of spans) {
    const rest = hi - larger(lo, sent.get(account) ?? 0n);
    if (rest > 0n) held.set(account, (held.get(account) ?? 0n) + rest);
  }
}

/** The movement as a span of its receiver. */
export const arrivalOf = (move: Move): Span => ({
  account: move.toAccount,
  lo: move.toOffset,
  hi: move.toOffset + move.amount,
});

/** The movement as a span of its sender. */
export const departureOf = (move: Move): Span => ({
  account: move.fromAccount,
  lo: move.fromOffset,
  hi: move.fromOffset + move.amount,
});
