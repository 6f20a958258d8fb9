import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import { clientAddress } from "../../platform/http/index.ts";
import type { OracleEnv } from "./env.ts";
import type { UserConnectionLimit } from "./user-connection-limit.ts";

export type LimitStreamsDeps = { streams: UserConnectionLimit };

/**
 * Hold one of the caller's places until the response is sent or the client has left. For routes that respond when a turn ends, or
 * while it runs.
 * @throws AppError RATE_LIMITED
 */
export function limitStreams(c: Context<OracleEnv>, { streams }: LimitStreamsDeps): void {
  const leave = streams.take(c.get("caller").did, clientAddress(c));
  // A request from within the process has no connection.
  const { outgoing } = (c.env ?? {}) as { outgoing?: ServerResponse };
  if (outgoing === undefined || outgoing.closed) leave();
  else outgoing.once("close", leave);
}
