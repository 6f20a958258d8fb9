import type { Schemas } from "../../../../wire/src/routes.ts";

/** State of an API key, for its badge. */
export function stateOf({
  revokedAt,
  expiresAt,
}: Pick<Schemas["ApiKey"], "revokedAt" | "expiresAt">): "valid" | "revoked" | "expired" {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? "expired" : "valid";
}
