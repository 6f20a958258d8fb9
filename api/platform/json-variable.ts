import { z } from "zod";

/** A variable of the configuration whose text is JSON. */
export const jsonVariable = z.string().transform((text, ctx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    ctx.addIssue({ code: "custom", message: "must be JSON" });
    return z.NEVER;
  }
});
