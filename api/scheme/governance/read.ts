import type { Hex } from "viem";
import { AppError } from "../../platform/errors.ts";
import { decodeCursor, toPage } from "../../platform/http/index.ts";
import { contextToJson } from "./context-json.ts";
import type { GovernanceDeps } from "./deps.ts";
import type { ProposalResponse } from "./schemas.ts";
import { serializeProposal, slotsOf } from "./serialize.ts";
import { beganAt, joinProposals, type ProposalStatus } from "./status.ts";

/** List every proposal, newest first. */
export async function listProposals(
  { governance }: GovernanceDeps,
  { status, limit, cursor }: { status?: ProposalStatus | undefined; limit: number; cursor?: string | undefined },
) {
  const council = await governance.read();
  const all = joinProposals(await governance.store.all(), council.history, council.now);
  const slots = slotsOf(all);
  const after = decodeCursor(cursor, 2);
  const rest = all.filter(
    (each) =>
      (status === undefined || each.status === status) &&
      (after === undefined ||
        beganAt(each) < Number(after[0]) ||
        (beganAt(each) === after[0] && each.id > String(after[1]))),
  );
  const cut = toPage(rest.slice(0, limit + 1), limit, (each) => [beganAt(each), each.id]);
  return { ...cut, items: cut.items.map((each) => serializeProposal(each, slots, council)) };
}

/** Count the proposals that wait: for approvals, for the end of their delay, or to be executed. */
export async function countWaitingProposals({ governance }: Pick<GovernanceDeps, "governance">) {
  const council = await governance.read();
  const all = joinProposals(await governance.store.all(), council.history, council.now);
  const count = (status: ProposalStatus) => all.filter((each) => each.status === status).length;
  return { collecting: count("collecting"), scheduled: count("scheduled"), ready: count("ready") };
}

/** Read the council and what it may change, for descriptions. */
export async function readCouncil({ governance }: GovernanceDeps) {
  return contextToJson((await governance.read()).context, []);
}

/** Read a proposal. @throws AppError NOT_FOUND */
export async function getProposal(deps: GovernanceDeps, id: Hex, problem?: AppError): Promise<ProposalResponse> {
  const { proposal, council, all } = await findProposal(deps, id);
  return serializeProposal(proposal, slotsOf(all), council, problem?.message ?? null);
}

/** Find a proposal and all the others. @throws AppError NOT_FOUND */
export async function findProposal({ governance }: GovernanceDeps, id: Hex) {
  const council = await governance.read();
  const all = joinProposals(await governance.store.all(), council.history, council.now);
  const proposal = all.find((each) => each.id === id);
  if (proposal === undefined) throw new AppError("NOT_FOUND", "There is no such proposal.");
  return { proposal, council, all };
}
