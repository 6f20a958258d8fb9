import { once, submitCall } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import { type RequestContext, type Role, requireRole } from "../../../platform/http/index.ts";
import type { RegistryDeps } from "../deps.ts";
import { notRegistered } from "../errors.ts";
import { requireVisibleHousehold } from "../households/visible.ts";
import { partyKinds, readPendingAccount } from "./pending.ts";
import type { NewAccount, Parties, PartyAccount } from "./schemas.ts";

/** Roles that may activate a pending account. */
export const finalisers = {
  implementers: ["regulator", "evaluator", "implementer", "supplier"],
  suppliers: ["regulator", "evaluator", "implementer", "supplier"],
  households: ["regulator", "evaluator", "implementer"],
} as const satisfies Record<Parties, Role[]>;

const nouns = { implementers: "Implementer", suppliers: "Supplier", households: "Household" } as const;

type Party = { parties: Parties; did: string };

/**
 * Propose a new account for a party, as the regulator. It takes effect after a delay and can be dropped until then.
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
export async function proposeAccount(
  deps: RegistryDeps,
  ctx: RequestContext,
  party: Party,
  input: NewAccount,
): Promise<PartyAccount> {
  requireRole(ctx.actor, "regulator");
  const index = await indexOf(deps, party);
  const { transactionHash } = await submitCall(deps, ctx, {
    sender: "registrar",
    contract: "participants",
    functionName: "proposeAccount",
    args: [partyKinds[party.parties], index, input.account],
    purpose: "account.propose",
  });
  return show(deps, party, index, transactionHash);
}

/**
 * Drop the pending account of a party, as the regulator. @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT when none is
 * pending
 */
export async function dropAccount(deps: RegistryDeps, ctx: RequestContext, party: Party): Promise<PartyAccount> {
  requireRole(ctx.actor, "regulator");
  const index = await indexOf(deps, party);
  const { transactionHash } = await once(deps, ctx, () =>
    submitCall(deps, ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "dropAccount",
      args: [partyKinds[party.parties], index],
      purpose: "account.drop",
    }),
  );
  return show(deps, party, index, transactionHash);
}

/**
 * Confirm, as the evaluator, that the pending account belongs to the household.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT when another account is pending, or none
 */
export async function confirmAccount(
  deps: RegistryDeps,
  ctx: RequestContext,
  did: string,
  input: NewAccount,
): Promise<PartyAccount> {
  requireRole(ctx.actor, "evaluator");
  const party: Party = { parties: "households", did };
  const index = await indexOf(deps, party);
  const { transactionHash } = await once(deps, ctx, () =>
    submitCall(deps, ctx, {
      sender: "evaluator",
      contract: "participants",
      functionName: "confirmAccount",
      args: [index, input.account],
      purpose: "account.confirm",
    }),
  );
  return show(deps, party, index, transactionHash);
}

/**
 * Activate the pending account. The chain lets anyone do so once the delay is over; this service does it for a household only
 * for those who may see that household.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT when the delay is not over or no account is pending
 */
export async function finaliseAccount(deps: RegistryDeps, ctx: RequestContext, party: Party): Promise<PartyAccount> {
  requireRole(ctx.actor, ...finalisers[party.parties]);
  if (party.parties === "households") await requireVisibleHousehold(deps, ctx, party.did);
  const index = await indexOf(deps, party);
  const { transactionHash } = await once(deps, ctx, () =>
    submitCall(deps, ctx, {
      sender: "operator",
      contract: "participants",
      functionName: "finaliseAccount",
      args: [partyKinds[party.parties], index],
      purpose: "account.finalise",
    }),
  );
  return show(deps, party, index, transactionHash);
}

async function indexOf(deps: RegistryDeps, { parties, did }: Party): Promise<number> {
  const { implementers, suppliers, households } = deps.registry;
  const index = {
    implementers: async () => (await implementers.byDid(did))?.implementer,
    suppliers: async () => (await suppliers.byDid(did))?.supplier,
    households: async () => (await households.byDid(did))?.household,
  };
  const found = await index[parties]();
  if (found === undefined) throw notRegistered(nouns[parties], did);
  return found;
}

async function show(
  deps: RegistryDeps,
  { parties, did }: Party,
  index: number,
  transactionHash: string,
): Promise<PartyAccount> {
  const { implementers, suppliers, households, ledger } = deps.registry;
  const account = {
    implementers: async () => (await implementers.stateOf(index)).account,
    suppliers: async () => (await suppliers.stateOf(index)).account,
    households: () => households.accountOf(index),
  };
  return {
    did,
    account: await account[parties](),
    pendingAccount: await readPendingAccount(ledger, parties, index),
    transactionHash,
  };
}

/** Build the 409 for a household that has an account: only the household or the regulator can propose another. */
export function accountIsSet(): AppError {
  const message = "The household has an account already.";
  return new AppError("CONFLICT", message, { details: [{ path: "account", rule: "account-not-set", message }] });
}
