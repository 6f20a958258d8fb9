import { z } from "@hono/zod-openapi";
import { isLosslessNumber } from "lossless-json";

/** A whole number in a JSON body, zero or more. */
export const wholeNumber = z.unknown().transform((value, ctx): number => {
  const number = isLosslessNumber(value) ? Number(value.value) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= 0) return number;
  ctx.addIssue({ code: "custom", message: "must be a whole number" });
  return z.NEVER;
});
