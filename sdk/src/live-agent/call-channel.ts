import type { Connections } from "../core/connections.ts";
import type { Handshake } from "../core/credentials.ts";
import { connectRealtime } from "../core/realtime.ts";
import type { SignalChannel } from "./signalling.ts";

export type CallAddress = {
  oracleDid: string;
  sessionId: string;
  /** Of the oracle's socket. */
  url: string | undefined;
  /** A guest's invitation. */
  invitation: string | undefined;
};

/** Open the channel of a call. @throws Error while the oracle's URL is unknown */
export function openCallChannel(
  { oracleDid, sessionId, url, invitation }: CallAddress,
  { channelOf, credentials }: Pick<Connections, "channelOf" | "credentials">,
): SignalChannel {
  if (url === undefined) throw new Error("The oracle's address is not known yet.");
  if (invitation === undefined) return channelOf({ oracleDid, sessionId, url });
  // A guest's socket gives access to the call alone, so it must not be shared with the guest's sessions.
  const auth = async (): Promise<Handshake> =>
    Object.assign(await credentials.handshake(oracleDid), { callInvitation: invitation });
  return connectRealtime({ url, sessionId: "", auth });
}
