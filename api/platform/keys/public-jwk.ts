import { createPublicKey, type JsonWebKey } from "node:crypto";
import type { z } from "@hono/zod-openapi";
import type { publicJwk } from "./schemas.ts";

/** Check that the coordinates are a point on the curve. */
export function isOnCurve(jwk: z.output<typeof publicJwk>): boolean {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }).type === "public";
  } catch {
    return false;
  }
}
