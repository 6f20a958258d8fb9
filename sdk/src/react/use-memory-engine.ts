"use client";

import { useEffect, useMemo } from "react";
import type { IMemory } from "../core/memory.ts";
import { memoryWrites } from "../core/memory-writes.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useMaybeStore, useStore } from "./use-store.ts";
import { useWork } from "./use-work.ts";

type Writes = {
  /** Stores a fact about the user. @throws ApiError */
  remember: (text: string) => Promise<IMemory>;
  /** Replaces the text of a fact; the old text stays in its history. @throws ApiError */
  correct: (id: string, text: string) => Promise<IMemory>;
  /** Deletes a fact. @throws ApiError */
  forget: (id: string) => Promise<void>;
  /** Finds facts that share words with the question, best match first. @throws ApiError */
  search: (question: string, limit?: number) => Promise<IMemory[]>;
};

export type UseMemoryEngineReturn = Writes & {
  /** Facts about the user, newest first; undefined until loaded. */
  memories: IMemory[] | undefined;
  isLoading: boolean;
  error: Error | undefined;
  refetch: () => Promise<IMemory[] | undefined>;
  /** Id of the user's room with the oracle on the messaging network; null when there is none, undefined until looked up. */
  oracleRoomId: string | null | undefined;
  isLoadingOracleRoomId: boolean;
  /** Accounts in the room. */
  members: string[] | undefined;
  isLoadingMembers: boolean;
  /** Invites an account to the room. @throws Error without a room, ApiError */
  inviteUser: (userId: string) => Promise<void>;
  isInvitingUser: boolean;
  /** Invites an external memory engine to the room and allows it to send state events. @throws Error without a room, ApiError */
  enableMemoryEngine: (memoryEngineUserId: string) => Promise<void>;
  isLoadingMemoryEngine: boolean;
};

/**
 * Read and write the facts that an oracle keeps about the user across sessions.
 * @param given the oracle's DID; defaults to the oracle that the app's other hooks used last
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useMemoryEngine } from "@hearth/oracles-client-sdk";
 *
 * export function Memory({ oracleDid }: { oracleDid: string }) {
 *   const { memories, remember, forget } = useMemoryEngine(oracleDid);
 *   return (
 *     <ul>
 *       {memories?.map(({ id, text }) => (
 *         <li key={id} onDoubleClick={() => forget(id)}>
 *           {text}
 *         </li>
 *       ))}
 *       <button onClick={() => remember("Lives in Kafue")}>Remember</button>
 *     </ul>
 *   );
 * }
 * ```
 */
export function useMemoryEngine(given?: string, givenOverrides?: Overrides): UseMemoryEngineReturn {
  const { connections } = useOraclesContext();
  const inUse = useStore(connections.inUse);
  const oracleDid = given ?? inUse.oracleDid;
  const overrides = givenOverrides ?? (given === undefined ? inUse.overrides : undefined);
  const { baseUrl, error: urlError } = useOracleUrls(oracleDid, overrides);
  const resource = baseUrl === undefined ? undefined : connections.memoryOf(oracleDid, baseUrl);
  const { data, error, isLoading = true } = useMaybeStore(resource) ?? {};
  useEffect(() => void resource?.ensure(), [resource]);
  const writes = useMemo(() => {
    return memoryWrites(baseUrl === undefined ? undefined : connections.clientOf(oracleDid, baseUrl), resource);
  }, [connections, oracleDid, baseUrl, resource]);
  const refetch = async () => await resource?.load();
  return { ...writes, ...useOracleRoom(oracleDid), memories: data, isLoading, error: error ?? urlError, refetch };
}

/** Read the room on the messaging network. Only apps with an external memory engine need it: the oracle stores its memory itself. */
function useOracleRoom(oracleDid: string) {
  const { connections, wallet } = useOraclesContext();
  const room = connections.roomOf(oracleDid, wallet);
  const { roomId, members, isLoadingRoom, isLoadingMembers } = useStore(room);
  useEffect(() => void room.ensure(), [room]);
  const [inviteUser, isInvitingUser] = useWork(room.invite);
  const [enableMemoryEngine, isLoadingMemoryEngine] = useWork(room.enable);
  return {
    oracleRoomId: roomId,
    isLoadingOracleRoomId: isLoadingRoom,
    members,
    isLoadingMembers,
    inviteUser,
    isInvitingUser,
    enableMemoryEngine,
    isLoadingMemoryEngine,
  };
}
