import { z } from "@hono/zod-openapi";
import { canonicalJson } from "../../platform/values/canonical-json.ts";
import { did, freeText, identifier } from "../../platform/values/text.ts";
import { partyId } from "./codes.ts";

/** Statements of an authorization in addition to its rules: columns of the agreed electronic format. */
export const authorizationTerms = z
  .strictObject({
    gwpValues: freeText(200).optional(),
    oimpAuthorized: freeText(500).optional(),
    termsAndConditions: freeText(2000).optional(),
    conditions: freeText(2000).optional(),
    changeConditions: freeText(2000).optional(),
    additionalInformation: freeText(2000).optional(),
    explanation: freeText(2000).optional(),
  })
  .openapi("AuthorizationTerms");
/** `firstTransferDefinition` may be stated although the purpose does not use it. */
export type AuthorizationTerms = z.infer<typeof authorizationTerms> & { firstTransferDefinition?: string | undefined };

export const authorizedEntity = z
  .strictObject({
    name: freeText(200),
    countryOfIncorporation: partyId,
    id: identifier(128),
    implementerDid: did.optional().openapi({
      description:
        "The implementer that converts for the entity. An authorization whose entities name implementers is reserved for these.",
    }),
  })
  .openapi("AuthorizedEntity", { description: "A legal person; on chain, for everyone to read." });
export type AuthorizedEntity = z.infer<typeof authorizedEntity>;
/** An entity on chain. `implementer` is 0 (or absent in older rows) if it is none. */
export type RegisteredEntity = Omit<AuthorizedEntity, "implementerDid"> & { implementer?: number };

/** Encode the text that is stored on chain; empty without statements. */
export function writeTerms(terms: AuthorizationTerms): string {
  return Object.keys(terms).length === 0 ? "" : canonicalJson(terms);
}

/** Read the terms of a registration. Others can register any content on chain, so values that are not text are ignored. */
export function readTerms(text: string): AuthorizationTerms {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "string"));
  } catch {
    return text === "" ? {} : { explanation: text };
  }
}
