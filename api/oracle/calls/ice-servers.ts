import { createHmac } from "node:crypto";

export type IceServer = { urls: string | string[]; username?: string | undefined; credential?: string | undefined };

/** STUN and TURN servers, and the secret that the oracle shares with the TURN servers that have no fixed user. */
export type IceOptions = { servers: readonly IceServer[]; turnSecret: string | undefined };

/** How long a participant may connect to a relay, in seconds; existing connections stay open. */
const credentialSeconds = 2 * 3600;

export const isTurn = ({ urls }: Pick<IceServer, "urls">) => [urls].flat().some((url) => /^turns?:/.test(url));

/**
 * Add credentials for one participant to the servers: the expiry time and the participant's id, authenticated with the secret
 * that the relay has too (coturn's `use-auth-secret`, draft-uberti-behave-turn-rest-00).
 */
export function iceServersFor({ servers, turnSecret }: IceOptions, participantId: string, now: Date): IceServer[] {
  const username = `${Math.floor(now.getTime() / 1000) + credentialSeconds}:${participantId}`;
  return servers.map((server) => {
    if (turnSecret === undefined || server.username !== undefined || !isTurn(server)) return server;
    // The relays require SHA-1.
    return { ...server, username, credential: createHmac("sha1", turnSecret).update(username).digest("base64") };
  });
}
