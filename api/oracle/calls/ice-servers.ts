import { createHmac } from "node:crypto";

export type IceServer = { urls: string | string[]; username?: string | undefined; credential?: string | undefined };

/** STUN and TURN servers; the secret is that which the TURN servers without a user of their own share with the oracle. */
export type IceOptions = { servers: readonly IceServer[]; turnSecret: string | undefined };

/** How long a relay lets a participant in, in seconds; what it has begun to relay goes on. */
const credentialSeconds = 2 * 3600;

export const isTurn = ({ urls }: Pick<IceServer, "urls">) => [urls].flat().some((url) => /^turns?:/.test(url));

/**
 * The servers with credentials for one participant: the time at which they end and the participant's id, authenticated by the
 * secret that the relay has too (coturn's `use-auth-secret`, draft-uberti-behave-turn-rest-00).
 */
export function iceServersFor({ servers, turnSecret }: IceOptions, participantId: string, now: Date): IceServer[] {
  const username = `${Math.floor(now.getTime() / 1000) + credentialSeconds}:${participantId}`;
  return servers.map((server) => {
    if (turnSecret === undefined || server.username !== undefined || !isTurn(server)) return server;
    // SHA-1 is what the relays compute.
    return { ...server, username, credential: createHmac("sha1", turnSecret).update(username).digest("base64") };
  });
}
