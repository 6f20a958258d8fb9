import { type IAgentCard, readAgentCard } from "./agent-card.ts";
import { type ChannelOf, Channels } from "./channels.ts";
import { OracleClient } from "./client.ts";
import { type OracleConfig, readOracleConfig } from "./config.ts";
import { Credentials, type CredentialsOptions } from "./credentials.ts";
import { OracleRoom } from "./matrix-room.ts";
import { type IMemory, listMemories } from "./memory.ts";
import { listModels, type ModelList } from "./models.ts";
import type { RealtimeChannel } from "./realtime.ts";
import { Resource } from "./resource.ts";
import { SessionList } from "./session-list.ts";
import { Store } from "./store.ts";
import type { Network, Overrides, Wallet } from "./types.ts";

export type ConnectionsOptions = CredentialsOptions & {
  /** The chain that holds the registry of oracles; without it, oracles are asked directly. */
  network?: Network | undefined;
};

export type OracleInUse = { oracleDid: string; overrides: Overrides };

/**
 * Share one user's clients, sockets and cached reads between all parts of an app.
 * @example
 * ```ts
 * import { Connections, listSessions } from "@hearth/oracles-client-sdk/core";
 *
 * const connections = new Connections({
 *   userDid: "did:key:z6Mk",
 *   createDelegation: async () => ({ serialized: "…", expiresAt: Date.now() + 3_600_000 }),
 * });
 * const { sessions } = await listSessions(connections.clientOf("did:key:z6Mk", "http://localhost:3000"));
 * console.log(sessions);
 * ```
 */
export class Connections {
  readonly credentials: Credentials;
  /** The oracle that the app used last, for hooks that are not given one. */
  readonly inUse = new Store<OracleInUse>({ oracleDid: "", overrides: {} });
  readonly #network: Network | undefined;
  readonly #channels: Channels;
  readonly #kept = new Map<string, unknown>();

  constructor({ network, ...credentials }: ConnectionsOptions) {
    this.credentials = new Credentials(credentials);
    this.#network = network;
    this.#channels = new Channels(this.credentials);
  }

  clientOf(oracleDid: string, baseUrl: string): OracleClient {
    const make = () => new OracleClient({ baseUrl, oracleDid, credentials: this.credentials });
    return this.#once(`client ${oracleDid} ${baseUrl}`, make);
  }

  /** Open a handle on the session's shared socket; the caller closes it. */
  channelOf(of: ChannelOf): RealtimeChannel {
    return this.#channels.open(of);
  }

  configOf(oracleDid: string, baseUrl?: string): Resource<OracleConfig> {
    const make = () => new Resource(() => readOracleConfig(oracleDid, this.#network, baseUrl));
    return this.#once(`config ${oracleDid} ${baseUrl ?? ""}`, make);
  }

  sessionsOf(oracleDid: string, baseUrl: string, pageSize?: number): SessionList {
    const make = () => new SessionList(this.clientOf(oracleDid, baseUrl), pageSize);
    return this.#once(`sessions ${oracleDid} ${baseUrl} ${pageSize ?? ""}`, make);
  }

  /** Return all open lists of the oracle's sessions. */
  sessionListsOf(oracleDid: string, baseUrl: string): SessionList[] {
    const begin = `sessions ${oracleDid} ${baseUrl} `;
    return [...this.#kept].flatMap(([key, list]) => (key.startsWith(begin) ? [list as SessionList] : []));
  }

  /** Return the cached agent card at a URI. */
  cardOf(oracleDid: string, uri: string): Resource<IAgentCard | null> {
    return this.#once(`card ${oracleDid} ${uri}`, () => new Resource(() => readAgentCard(oracleDid, uri)));
  }

  /** Return the user's room with the oracle on the messaging network. */
  roomOf(oracleDid: string, wallet: Wallet): OracleRoom {
    const { accessToken, homeServer } = wallet.matrix;
    return this.#once(`room ${oracleDid} ${homeServer} ${accessToken}`, () => new OracleRoom(wallet, oracleDid));
  }

  memoryOf(oracleDid: string, baseUrl: string): Resource<IMemory[]> {
    const make = () => new Resource(() => listMemories(this.clientOf(oracleDid, baseUrl)));
    return this.#once(`memory ${oracleDid} ${baseUrl}`, make);
  }

  modelsOf(baseUrl: string): Resource<ModelList> {
    return this.#once(`models ${baseUrl}`, () => new Resource(() => listModels(baseUrl)));
  }

  #once<T>(key: string, make: () => T): T {
    if (!this.#kept.has(key)) this.#kept.set(key, make());
    return this.#kept.get(key) as T;
  }
}
