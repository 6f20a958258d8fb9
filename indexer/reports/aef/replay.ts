import type { ItmoActionSubtype, ItmoBlockStatus } from "../../schema/itmo-words.ts";
import type { Action } from "./facts.ts";

/** Units of a conversion with the same state. */
export type Segment = {
  firstId: bigint;
  lastId: bigint;
  /** The holder, or the last holder before use or cancellation; null for the share of proceeds. */
  party: string | null;
  status: ItmoBlockStatus;
  /** The kind of the first transfer; null before it. */
  firstTransfer: ItmoActionSubtype | null;
};

type Fate = Pick<Segment, "party" | "status" | "firstTransfer">;

/** Find the position of the segment that contains a serial; -1 without one. */
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

/** Split a segment at a serial, as the contract splits blocks. */
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
  // The event of a first transfer does not change the holder; the action that triggered it follows.
  return {
    party: action.acquiringParty ?? before.party,
    status: status === "held" ? before.status : status,
    firstTransfer,
  };
}

/**
 * Compute the state of one conversion's units from its actions in chain order; the first is their creation (`Authorization`).
 * @returns Segments by serial; they are the contract's blocks. Empty before the creation.
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
