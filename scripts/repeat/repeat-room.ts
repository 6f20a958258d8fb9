import type { Hex } from "viem";
import { checkChain } from "./check-chain.ts";
import { checkReceipt, type KnownIssuer } from "./check-receipt.ts";
import { type OpenedRoom, openRoom } from "./open-room.ts";
import { repeatClaims } from "./repeat-claims.ts";
import { repeatDraw } from "./repeat-draw.ts";
import { repeatResult, termsOf } from "./repeat-result.ts";
import { readData } from "./room-data.ts";
import type { Accepted, Step } from "./step.ts";

/** What the reader knows from elsewhere. */
export type Known = KnownIssuer & {
  /** The reader's own node, and the scheme's contract. */
  node?: { rpc: string; contract: Hex } | undefined;
};
export type Repetition = { room: OpenedRoom; steps: Step[]; faults: number };

/**
 * Repeat everything that a data room states. Requests go only to the reader's own node.
 * @throws UnavailableError when the file is not a data room, or the node does not answer
 */
export async function repeatRoom(
  path: string,
  name: string,
  known: Known,
  accepted: Accepted = {},
): Promise<Repetition> {
  const room = await openRoom(path, name);
  const data = readData(room);
  const receipt = await checkReceipt(room, known);
  const steps = [
    room.step,
    receipt.step,
    ...repeatDraw(data),
    ...(await repeatClaims(room, data, { terms: termsOf(data), keys: receipt.keys })),
    ...repeatResult(room, data, accepted),
    ...(known.node === undefined ? [] : await checkChain(data, known.node.rpc, known.node.contract)),
  ];
  const faults = steps.reduce((sum, each) => sum + each.faults.length + each.differences.length, 0);
  return { room, steps, faults };
}
