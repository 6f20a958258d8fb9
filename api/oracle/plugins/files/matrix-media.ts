import { AppError } from "../../../platform/errors.ts";
import {
  callOutside,
  type OutboundAnswer,
  type OutboundRequest,
  type OutboundRules,
} from "../../../platform/outbound/outbound.ts";
import type { MatrixSession } from "../../wire/turn.ts";

/** Where media are asked for, newest first: a home server that does not know a path answers 404. */
const paths = ["/_matrix/client/v1/media/download", "/_matrix/media/v3/download"];

const uri = /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,255})\/([A-Za-z0-9_-]{1,255})$/;

/**
 * Fetch what an `mxc://server/id` address names, from the user's home server and with the user's own token. No redirect is
 * followed: the token is the home server's alone.
 * @throws AppError INVALID_INPUT for an address that is none; FORBIDDEN without the user's Matrix session; OutboundError
 */
export async function fetchMedia(
  address: string,
  matrix: MatrixSession | undefined,
  limits: Pick<OutboundRequest, "timeoutMs" | "maxBytes">,
  rules: OutboundRules,
): Promise<OutboundAnswer> {
  const [, server, mediaId] = uri.exec(address) ?? [];
  if (server === undefined || mediaId === undefined) {
    throw new AppError("INVALID_INPUT", "An mxc address has the form mxc://server/media-id.");
  }
  if (matrix === undefined) {
    const message = "To read mxc addresses, send x-matrix-access-token and x-matrix-homeserver with the message.";
    throw new AppError("FORBIDDEN", message, { details: [{ rule: "matrix-session", message }] });
  }
  const headers = { authorization: `Bearer ${matrix.accessToken}` };
  const base = baseOf(matrix.homeServer);
  const at = (path: string) => `${base}${path}/${encodeURIComponent(server)}/${mediaId}`;
  let answer: OutboundAnswer | undefined;
  for (const path of paths) {
    answer = await callOutside(at(path), { ...limits, headers }, rules);
    if (answer.status !== 404 && answer.status !== 405) return answer;
  }
  return answer as OutboundAnswer;
}

/** A bare domain means https; a full URL is used as given. */
export function baseOf(homeServer: string): string {
  const full = homeServer.includes("://") ? homeServer : `https://${homeServer}`;
  return full.replace(/\/+$/, "");
}
