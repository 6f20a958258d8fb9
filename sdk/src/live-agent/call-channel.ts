import type { Connections } from "../core/connections.ts";
import type { Handshake } from "../core/credentials.ts";
import { connectRealtime } from "../core/realtime.ts";
import type { SignalChannel } from "./signalling.ts";

export type CallAddress = {
  oracleDid: string;
  sessionId: string;
  /** Of the oracle's socket. */
  url: string | undefined;
  /** Of a guest. */
  invitation: string | undefined;
};

/** Open the socket that a call is made over. @throws Error while the oracle's URL is unknown */
export function openCallChannel(
  { oracleDid, sessionId, url, invitation }: CallAddress,
  { channelOf, credentials }: Pick<Connections, "channelOf" | "credentials">,
): SignalChannel {
  if (url === undefined) throw new Error("The oracle's address is not known yet.");
  if (invitation === undefined) return channelOf({ oracleDid, sessionId, url });
  // A guest's socket is for the call alone; it shares none with a session that the guest has open.
  const auth = async (): Promise<Handshake> =>
    Object.assign(await credentials.handshake(oracleDid), { callInvitation: invitation });
  return connectRealtime({ url, sessionId: "", auth });
}
