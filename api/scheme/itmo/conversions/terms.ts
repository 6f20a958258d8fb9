import { integer, positiveCarbonAmount } from "../../../platform/values/numbers.ts";
import { did } from "../../../platform/values/text.ts";
import { authorizationId, cooperativeApproachId } from "../codes.ts";

/** Fields of a body that says what is converted, and under what. */
export const conversionTerms = {
  implementerDid: did,
  amount: positiveCarbonAmount.openapi({
    description: "CARBON, a multiple of 1000: one ITMO is a tonne.",
    example: 1000,
  }),
  cooperativeApproachId,
  authorizationId,
  vintage: integer(1990, 9999).optional().openapi({
    description:
      "Year of the mitigation. Absent: the oldest that has CARBON to convert; several, if one has too little.",
  }),
};
