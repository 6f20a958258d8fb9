// Adapters to other systems. Each folder is a room: it speaks to Hearth through wire's client, as any integrator would, and
// api/compose.ts opens it. A room that the configuration leaves out is not loaded.

import { ConfigError } from "../api/platform/config-error.ts";
import type { Room, RoomHost } from "./room.ts";

export type { NetworkAllowance, NoticeReader, Room, RoomHost, RoomKey, RoomNotice } from "./room.ts";
export { sealedRoomColumns } from "./sealed-columns.ts";

const rooms: Record<string, () => Promise<(host: RoomHost) => Room>> = {
  phones: async () => (await import("./phones/index.ts")).openPhones,
  kobo: async () => (await import("./kobo/index.ts")).openKobo,
  odk: async () => (await import("./odk/index.ts")).openOdk,
  payout: async () => (await import("./payout/index.ts")).openPayout,
  "cad-trust": async () => (await import("./cad-trust/index.ts")).openCadTrust,
};

/** Rooms whose files are in another room's folder: the visits of one household may come through ODK Collect and through Kobo. */
const folders: Record<string, string> = { kobo: "odk" };

/**
 * Load and open the named rooms, or all of them when no names are given.
 * @param hostOf what the process gives to a room, by its name and the name of its folder in the file store
 * @throws ConfigError for a name without a room
 */
export async function openRooms(
  names: readonly string[] | undefined,
  hostOf: (name: string, folder: string) => RoomHost,
): Promise<Room[]> {
  const known = Object.keys(rooms);
  const open = async (name: string): Promise<Room> => {
    const load = rooms[name];
    if (load !== undefined) return (await load())(hostOf(name, folders[name] ?? name));
    const message = `names ${name}. The adapters are ${known.join(", ")}; none leaves all out.`;
    throw new ConfigError([{ path: "CONNECT", rule: "configuration", message }]);
  };
  return await Promise.all((names ?? known).map(open));
}
