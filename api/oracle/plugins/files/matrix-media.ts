import { AppError } from "../../../platform/errors.ts";
import {
  callOutside,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundRules,
} from "../../../platform/outbound/index.ts";
import type { MatrixSession } from "../../wire/turn.ts";

/** Paths of media, newest first: a home server that does not know a path responds with 404. */
const paths = ["/_matrix/client/v1/media/download", "/_matrix/media/v3/download"];

const uri = /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,255})\/([A-Za-z0-9_-]{1,255})$/;

/**
 * Fetch the media of an `mxc://server/id` address from the user's home server, with the user's token. No redirect is followed,
 * because only the home server may receive the token. @throws AppError INVALID_INPUT for a malformed address; FORBIDDEN without
 * the user's Matrix session; OutboundError
 */
export async function fetchMedia(
  address: string,
  matrix: MatrixSession | undefined,
  limits: Pick<OutboundRequest, "timeoutMs" | "maxBytes">,
  rules: OutboundRules,
): Promise<OutboundResponse> {
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
  let answer: OutboundResponse | undefined;
  for (const path of paths) {
    answer = await callOutside(at(path), { ...limits, headers }, rules);
    if (answer.status !== 404 && answer.status !== 405) return answer;
  }
  return answer as OutboundResponse;
}

/** A bare domain means https; a full URL is used as given. */
export function baseOf(homeServer: string): string {
  const full = homeServer.includes("://") ? homeServer : `https://${homeServer}`;
  return full.replace(/\/+$/, "");
}
