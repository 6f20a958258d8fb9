import { ApiError, errorOf } from "./api-error.ts";
import { errorOfMatrix, homeServerUrl } from "./openid.ts";
import { Store } from "./store.ts";
import type { Wallet } from "./types.ts";

export type OracleRoomState = {
  /** Undefined until looked up; null when there is no room. */
  roomId: string | null | undefined;
  members: string[] | undefined;
  isLoadingRoom: boolean;
  isLoadingMembers: boolean;
  error: Error | undefined;
};

/** Power level that may send state events, by the messaging network's convention. */
const moderatorPower = 50;

/** A user's room with an oracle on the messaging network, read with the user's session there. */
export class OracleRoom extends Store<OracleRoomState> {
  readonly #wallet: Wallet;
  readonly #oracleDid: string;
  #loading: Promise<void> | undefined;

  constructor(wallet: Wallet, oracleDid: string) {
    const idle = { isLoadingRoom: false, isLoadingMembers: false, error: undefined };
    super({ roomId: undefined, members: undefined, ...idle });
    this.#wallet = wallet;
    this.#oracleDid = oracleDid;
  }

  /** Look up the room and its members, once. Does nothing without a session at a home server. */
  readonly ensure = async (): Promise<void> => {
    const { accessToken, homeServer } = this.#wallet.matrix;
    if (!accessToken || !homeServer || this.#oracleDid === "" || this.get().roomId !== undefined) return;
    this.#loading ??= this.load();
    await this.#loading;
  };

  readonly load = async (): Promise<void> => {
    this.set({ isLoadingRoom: true });
    try {
      const roomId = await this.#find();
      this.set({ roomId, isLoadingRoom: false, isLoadingMembers: roomId !== null, error: undefined });
      this.set({ members: roomId === null ? [] : await this.#members(roomId) });
    } catch (thrown) {
      this.set({ error: errorOf(thrown) });
    } finally {
      this.set({ isLoadingRoom: false, isLoadingMembers: false });
      this.#loading = undefined;
    }
  };

  /** Invite an account to the room. @throws Error when there is no room, ApiError */
  readonly invite = async (userId: string): Promise<void> => {
    await this.#invite(await this.#required(), userId);
    await this.load();
  };

  /** Invite a memory engine to the room and allow it to send state events. @throws Error when there is no room, ApiError */
  readonly enable = async (userId: string): Promise<void> => {
    const roomId = await this.#required();
    await this.#invite(roomId, userId);
    const path = `rooms/${encodeURIComponent(roomId)}/state/m.room.power_levels`;
    const levels = (await this.#ask("GET", path)) as { users?: Record<string, number> };
    await this.#ask("PUT", path, { ...levels, users: { ...levels.users, [userId]: moderatorPower } });
    await this.load();
  };

  async #required(): Promise<string> {
    const roomId = this.get().roomId ?? (await this.#find());
    if (roomId === null) throw new Error("Oracle room id not found");
    return roomId;
  }

  async #invite(roomId: string, userId: string): Promise<void> {
    await this.#ask("POST", `rooms/${encodeURIComponent(roomId)}/invite`, { user_id: userId });
  }

  /** Look the room up by an alias made of both DIDs. */
  async #find(): Promise<string | null> {
    const { did, matrix } = this.#wallet;
    const host = new URL(homeServerUrl(matrix.homeServer)).host;
    const alias = `#${[did, this.#oracleDid].map((each) => each.replaceAll(":", "-")).join("_")}:${host}`;
    try {
      return ((await this.#ask("GET", `directory/room/${encodeURIComponent(alias)}`)) as { room_id: string }).room_id;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  async #members(roomId: string): Promise<string[]> {
    const path = `rooms/${encodeURIComponent(roomId)}/members?not_membership=leave`;
    const { chunk } = (await this.#ask("GET", path)) as { chunk: { state_key: string }[] };
    return chunk.map((member) => member.state_key);
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const { accessToken, homeServer } = this.#wallet.matrix;
    if (!accessToken || !homeServer) throw new Error("The wallet has no session at a home server.");
    const response = await fetch(`${homeServerUrl(homeServer)}/_matrix/client/v3/${path}`, {
      method,
      headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return await response.json();
    throw await errorOfMatrix(response);
  }
}
