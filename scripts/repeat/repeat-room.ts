import { type KnownAccounts, knowsParties, unknownAccounts } from "../draw/known-accounts.ts";
import { knownBy, readKnownDeployment } from "../draw/known-deployment.ts";
import { checkChain, type KnownNode } from "./check-chain.ts";
import { checkReceipt, type KnownIssuer, knowsIssuer } from "./check-receipt.ts";
import { type OpenedRoom, openRoom } from "./open-room.ts";
import { repeatClaims } from "./repeat-claims.ts";
import { repeatDraw } from "./repeat-draw.ts";
import { repeatResult, termsOf } from "./repeat-result.ts";
import { type RoomData, readData } from "./room-data.ts";
import type { Accepted, Step } from "./step.ts";

/** What the reader knows from elsewhere. */
export type Known = KnownIssuer &
  KnownAccounts & {
    /** The reader's own node, and the scheme's contracts. */
    node?: KnownNode | undefined;
    /** The scheme's deployment file. */
    deployment?: string | undefined;
  };
/** `missingRoots`: what was compared with nothing that the reader knows. */
export type Repetition = { room: OpenedRoom; steps: Step[]; faults: number; missingRoots: string[] };

/**
 * Repeat everything that a data room states. Requests go only to the reader's own node.
 * @throws UnavailableError when the file is not a data room, or the node does not answer
 */
export async function repeatRoom(
  path: string,
  name: string,
  given: Known,
  accepted: Accepted = {},
): Promise<Repetition> {
  const room = await openRoom(path, name);
  const data = readData(room);
  const deployment = await readKnownDeployment(given.deployment, data.campaign);
  const parameters = given.node?.parameters ?? deployment?.contracts.parameters;
  const known: Known = {
    ...given,
    ...knownBy(deployment, given),
    node: given.node === undefined ? undefined : { ...given.node, parameters },
  };
  const receipt = await checkReceipt(room, known);
  const steps = [
    room.step,
    receipt.step,
    ...(await repeatDraw(data, known)),
    ...(await repeatClaims(room, data, { terms: termsOf(data), keys: receipt.keys })),
    ...repeatResult(room, data, { accepted, known }),
    ...(known.node === undefined ? [] : await checkChain(data, known.node, known)),
  ];
  const faults = steps.reduce((sum, each) => sum + each.faults.length + each.differences.length, 0);
  return { room, steps, faults, missingRoots: missingRoots(data, known) };
}

function missingRoots({ draw, parameters }: RoomData, known: Known): string[] {
  const { node } = known;
  const roots: string[] = [];
  // The chain has the hashes of the claims and of the result. Everything else is only signed.
  if (!knowsIssuer(known)) {
    roots.push("the issuer (--did-document or --issuer-key): the manifest is signed by a key that you do not know");
  }
  if (draw.draw?.twoParties === true && !knowsParties(known)) roots.push(unknownAccounts);
  if (node !== undefined && node.parameters === undefined && parameters.length > 0) {
    roots.push("the regulator's parameters (--parameters)");
  }
  return roots;
}
