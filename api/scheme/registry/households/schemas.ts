import { z } from "@hono/zod-openapi";
import { listQuery, page, pageSize } from "../../../platform/http/index.ts";
import { exactDecimal, integer } from "../../../platform/values/numbers.ts";
import { account, did, identifier } from "../../../platform/values/text.ts";
import { pendingAccount } from "../accounts/schemas.ts";

const persons = integer(0, 999).optional();

/** Who lives in the household, for consumption per standard adult. A count that is absent is 0. */
export const householdSize = z
  .strictObject({ men: persons, women: persons, children: persons, elderly: persons })
  .transform((size) => ({
    men: size.men ?? 0,
    women: size.women ?? 0,
    children: size.children ?? 0,
    elderly: size.elderly ?? 0,
  }))
  .openapi("HouseholdSize");
export type HouseholdSize = z.infer<typeof householdSize>;

/** Millionths of a degree from a JSON number of degrees; phones give up to 15 decimals. */
const coordinate = (limit: bigint) => {
  const unit = 10n ** 15n;
  const perMillionth = unit / 1_000_000n;
  return exactDecimal({ decimals: 15, min: -limit * unit, max: limit * unit }).transform((value) => {
    const half = value < 0n ? -perMillionth / 2n : perMillionth / 2n;
    return Number((value + half) / perMillionth);
  });
};

/** Where a household is, in millionths of a degree. */
export const location = z
  .strictObject({ latitude: coordinate(90n), longitude: coordinate(180n) })
  .openapi("NewHouseholdLocation", { description: "Degrees (WGS 84), rounded to millionths: 0.11 m." });
export type Location = z.infer<typeof location>;

export const newHousehold = z
  .strictObject({
    did,
    account: account.optional().openapi({
      description: "The household's own account, if it signs for itself. It counts once an evaluator has confirmed it.",
    }),
    householdSize: householdSize.optional(),
    region: identifier(128).optional(),
    location: location.optional(),
  })
  .openapi("NewHousehold");
export type NewHousehold = z.infer<typeof newHousehold>;

export const householdRegistration = newHousehold
  .extend({
    implementerDid: did.optional().openapi({
      description:
        "The implementer that registers it, for an integrator that acts for it. An implementer's key names its own, or none.",
    }),
  })
  .openapi("HouseholdRegistration");
export type HouseholdRegistration = z.infer<typeof householdRegistration>;

export const householdChange = z
  .strictObject({
    account: account.optional(),
    location: location.nullable().optional().openapi({ description: "Null: it is not known any more." }),
  })
  .refine((change) => (change.account === undefined) !== (change.location === undefined), {
    message: "Give either an account or a location.",
    params: { rule: "one-change" },
  })
  .openapi("HouseholdChange");
export type HouseholdChange = z.infer<typeof householdChange>;

const degrees = z.number().openapi({ type: "number", multipleOf: 0.000001 });
export const locationInResponse = z
  .object({ latitude: degrees, longitude: degrees })
  .openapi("HouseholdLocation", { description: "Degrees (WGS 84)." });

export const household = z
  .object({
    did,
    status: z.literal("registered"),
    householdHash: z
      .string()
      .openapi({ description: "What the chain knows the household by: a keyed hash of its DID." }),
    index: z.number().int().openapi({ description: "The household's number on chain, from 1." }),
    account: z.string().nullable(),
    pendingAccount: pendingAccount.nullable().openapi({ description: "The account that is to take its place." }),
    householdSize: householdSize.nullable(),
    region: z.string().nullable(),
    location: locationInResponse.nullable(),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string().nullable(),
  })
  .openapi("Household");

export type Household = z.infer<typeof household>;

export const householdPage = page(household).openapi("HouseholdPage");
export const householdQuery = listQuery.extend({ region: identifier(128).optional() });

/** A household on a map. */
export const locatedHousehold = z
  .object({ did, ...locationInResponse.shape })
  .openapi("LocatedHousehold", { description: "Degrees (WGS 84)." });
export type LocatedHousehold = z.infer<typeof locatedHousehold>;
export const locatedHouseholdPage = page(locatedHousehold).openapi("LocatedHouseholdPage");
/** As in other lists, but with larger pages: a map needs all of them. */
export const locatedHouseholdQuery = householdQuery.extend({ limit: pageSize(5_000, 1_000) });
export const householdParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
