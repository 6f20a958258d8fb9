import type { RequestContext, Scope } from "../../api/platform/http/index.ts";
import type { HearthClient } from "../../wire/src/index.ts";
import type { RoomHost, RoomKey } from "../room.ts";

/** Create a client of the API that may do what an API key will, to check what it will reach before there is one. */
export function trialClient(
  host: Pick<RoomHost, "clientAs">,
  { actor }: RequestContext,
  { scopes, dids }: Pick<RoomKey, "scopes" | "dids">,
): HearthClient {
  return host.clientAs({
    actor: { keyId: actor.keyId, role: "integrator", scopes: scopes as Scope[], dids: dids ?? null },
  });
}
