import type { OracleClient } from "./client.ts";

/** A fact about the user, kept across sessions. Times are ISO 8601. */
export type IMemory = { id: string; text: string; createdAt: string; updatedAt: string };

/**
 * List the facts that the oracle keeps about the user. With a question, best word match first; without one, newest first.
 * @throws ApiError
 * @example
 * ```ts
 * import { listMemories, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const factsAboutStoves = (client: OracleClient) => listMemories(client, { question: "Which stove?", limit: 5 });
 * ```
 */
export async function listMemories(
  client: OracleClient,
  { question, limit }: { question?: string; limit?: number } = {},
): Promise<IMemory[]> {
  return (await client.request<{ memories: IMemory[] }>("GET", "/memory", { query: { question, limit } })).memories;
}

/**
 * Store a fact about the user.
 * @throws ApiError
 * @example
 * ```ts
 * import { addMemory, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const remember = (client: OracleClient) => addMemory(client, "Cooks with ethanol since March");
 * ```
 */
export function addMemory(client: OracleClient, text: string): Promise<IMemory> {
  return client.request("POST", "/memory", { body: { text } });
}

/**
 * Replace the text of a fact.
 * @throws ApiError
 * @example
 * ```ts
 * import { correctMemory, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export const correct = (client: OracleClient, id: string) => correctMemory(client, id, "Cooks with ethanol since April");
 * ```
 */
export function correctMemory(client: OracleClient, id: string, text: string): Promise<IMemory> {
  return client.request("PUT", `/memory/${encodeURIComponent(id)}`, { body: { text } });
}

/**
 * Delete a fact.
 * @throws ApiError
 * @example
 * ```ts
 * import { forgetMemory, listMemories, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export async function forgetAll(client: OracleClient): Promise<void> {
 *   for (const { id } of await listMemories(client)) await forgetMemory(client, id);
 * }
 * ```
 */
export async function forgetMemory(client: OracleClient, id: string): Promise<void> {
  await client.request("DELETE", `/memory/${encodeURIComponent(id)}`);
}
