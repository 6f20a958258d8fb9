import { AppError } from "../../../api/platform/errors.ts";
import type { RequestContext } from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import { asAppError } from "../../as-app-error.ts";
import type { PhoneDeps } from "../deps.ts";
import type { PhoneRow } from "../tables.ts";
import type { NewPhone, Phone } from "./schemas.ts";

/**
 * Register a household's phone.
 * @throws AppError NOT_FOUND for a household that is not registered; CONFLICT when the number is registered
 */
export async function registerPhone(deps: PhoneDeps, ctx: RequestContext, input: NewPhone): Promise<Phone> {
  await requireHousehold(deps, ctx, input.householdDid);
  const { box, host, store } = deps;
  const row: PhoneRow = {
    numberHash: box.hash(input.number),
    sealedNumber: box.seal(input.number),
    householdHash: box.hash(input.householdDid),
    sealedHousehold: box.seal(input.householdDid),
    language: input.language,
    stoppedAt: null,
    registeredBy: ctx.actor.keyId,
    createdAt: host.clock.now(),
  };
  await changeOnce(host.db, ctx, async () => async (tx) => {
    if (await store.addPhone(tx, row)) return row.numberHash;
    const message = "This number is registered already: remove it from its household first.";
    throw new AppError("CONFLICT", message, {
      details: [{ path: "number", rule: "not-registered-before", message }],
    });
  });
  return serialize(deps, (await store.phone(row.numberHash)) ?? row);
}

/** List the phones of a household. @throws AppError NOT_FOUND */
export async function listPhones(
  deps: PhoneDeps,
  ctx: RequestContext,
  householdDid: string,
): Promise<{ items: Phone[] }> {
  await requireHousehold(deps, ctx, householdDid);
  const rows = await deps.store.phonesOf(deps.box.hash(householdDid));
  return { items: rows.map((row) => serialize(deps, row)) };
}

/** Remove a household's phone. @throws AppError NOT_FOUND, also for another household's number */
export async function removePhone(
  deps: PhoneDeps,
  ctx: RequestContext,
  { householdDid, number }: Pick<NewPhone, "householdDid" | "number">,
): Promise<{ items: Phone[] }> {
  await requireHousehold(deps, ctx, householdDid);
  const numberHash = deps.box.hash(number);
  await changeOnce(deps.host.db, ctx, async () => {
    const row = await deps.store.phone(numberHash);
    if (row?.householdHash !== deps.box.hash(householdDid)) {
      throw new AppError("NOT_FOUND", "The household has no phone with this number.");
    }
    return async (tx) => {
      await deps.store.removePhone(tx, numberHash);
      return numberHash;
    };
  });
  return listPhones(deps, ctx, householdDid);
}

/** Require a household that the caller may see, by asking the API as the caller. */
async function requireHousehold(deps: PhoneDeps, ctx: RequestContext, householdDid: string): Promise<void> {
  try {
    await deps.host.clientAs(ctx).get("/v1/households/{did}", { path: { did: householdDid } });
  } catch (error) {
    throw asAppError(error);
  }
}

function serialize({ box }: PhoneDeps, row: PhoneRow): Phone {
  return {
    number: box.open(row.sealedNumber),
    householdDid: box.open(row.sealedHousehold),
    language: row.language,
    stoppedAt: row.stoppedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
