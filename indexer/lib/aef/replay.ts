import type { ItmoActionSubtype, ItmoBlockStatus } from "../../schema/itmo-words.ts";
import type { Action } from "./facts.ts";

/** Units of a conversion that share one fate. */
export type Segment = {
  firstId: bigint;
  lastId: bigint;
  /** Who holds it, or held it when it was used or cancelled; null for the share of proceeds. */
  party: string | null;
  status: ItmoBlockStatus;
  /** What the first transfer was; null before it. */
  firstTransfer: ItmoActionSubtype | null;
};

type Fate = Pick<Segment, "party" | "status" | "firstTransfer">;

/** Position of the segment that has a serial; -1 when none has. */
function positionOf(segments: readonly Segment[], serial: bigint): number {
  let [low, high] = [0, segments.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const segment = segments[middle] as Segment;
    if (serial < segment.firstId) high = middle - 1;
    else if (serial > segment.lastId) low = middle + 1;
    else return middle;
  }
  return -1;
}

/** Let a segment begin at a serial, as the contract cuts blocks. */
function cutAt(segments: Segment[], serial: bigint): void {
  const position = positionOf(segments, serial);
  const segment = segments[position];
  if (segment === undefined || segment.firstId === serial) return;
  const rest = { ...segment, firstId: serial };
  segment.lastId = serial - 1n;
  segments.splice(position + 1, 0, rest);
}

function statusAfter(action: Action): ItmoBlockStatus {
  if (action.subtype === "Voluntary transfer to the Adaptation Fund") return "share-of-proceeds";
  if (action.type === "Use") return action.ndcYear === null ? "used-for-oimp" : "used-for-ndc";
  if (action.subtype === "Voluntary cancellation to deliver OMGE") return "omge";
  return action.type === "Cancellation" || action.type === "Voluntary Cancellation" ? "cancelled" : "held";
}

function fateAfter(action: Action, before: Fate): Fate {
  const status = statusAfter(action);
  const isFirst = action.type === "First transfer" && before.firstTransfer === null;
  const firstTransfer = isFirst ? action.subtype : before.firstTransfer;
  if (status === "share-of-proceeds") return { party: null, status, firstTransfer };
  // A first transfer's mark says nothing of the holder; the action that triggered it follows.
  return {
    party: action.acquiringParty ?? before.party,
    status: status === "held" ? before.status : status,
    firstTransfer,
  };
}

/**
 * What became of the units of one conversion, by its actions in chain order; the first is the birth (`Authorization`).
 * @returns Segments by serial; they are the contract's blocks. Empty before the birth.
 * @throws RangeError for an action on units that were never minted
 */
export function segmentsAfter(actions: Iterable<Action>): Segment[] {
  const segments: Segment[] = [];
  for (const action of actions) {
    const { firstId, lastId } = action;
    if (action.type === "Authorization") {
      const party = action.firstTransferringParty;
      segments.push({ firstId, lastId, party, status: "held", firstTransfer: null });
      continue;
    }
    const end = segments.at(-1)?.lastId ?? -1n;
    if (positionOf(segments, firstId) < 0 || positionOf(segments, lastId) < 0) {
      throw new RangeError(`No units ${action.registryId} ${firstId} to ${lastId} were minted`);
    }
    cutAt(segments, firstId);
    if (lastId < end) cutAt(segments, lastId + 1n);
    for (let i = positionOf(segments, firstId); segments[i] !== undefined; i += 1) {
      const segment = segments[i] as Segment;
      if (segment.firstId > lastId) break;
      Object.assign(segment, fateAfter(action, segment));
    }
  }
  return segments;
}
