import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import { clientAddress } from "../../platform/http/index.ts";
import type { OracleEnv } from "./env.ts";
import type { UserConnectionLimit } from "./user-connection-limit.ts";
import type { TokenWatch } from "./watch-tokens.ts";

export type LimitStreamsDeps = { streams: UserConnectionLimit; watch: Pick<TokenWatch, "add"> };

/**
 * Hold one of the caller's places until the response is sent or the client has left, and close the connection if the caller's token
 * is revoked before. For routes that respond when a turn ends, or while it runs.
 * @throws AppError RATE_LIMITED
 */
export function limitStreams(c: Context<OracleEnv>, { streams, watch }: LimitStreamsDeps): void {
  const leave = streams.take(c.get("caller").did, clientAddress(c));
  // A request from within the process has no connection.
  const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse };
  if (outgoing === undefined || outgoing.closed) {
    leave();
    return;
  }
  // A turn may be longer than an invocation is valid.
  const artifacts = c.get("artifacts");
  const unwatch = watch.add({ artifacts, endsWithToken: false, close: () => outgoing.destroy() });
  outgoing.once("close", () => {
    leave();
    unwatch();
  });
}
