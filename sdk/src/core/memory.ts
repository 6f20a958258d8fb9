import type { OracleClient } from "./client.ts";

/** Something about the user that outlives a conversation. Times are ISO 8601. */
export type IMemory = { id: string; text: string; createdAt: string; updatedAt: string };

/** What is kept about the user: what shares most words with the question; all, newest first, without one. @throws ApiError */
export async function listMemories(
  client: OracleClient,
  { question, limit }: { question?: string; limit?: number } = {},
): Promise<IMemory[]> {
  return (await client.request<{ memories: IMemory[] }>("GET", "/memory", { query: { question, limit } })).memories;
}

/** Keep a fact about the user. @throws ApiError */
export function addMemory(client: OracleClient, text: string): Promise<IMemory> {
  return client.request("POST", "/memory", { body: { text } });
}

/** Replace the words of a fact. @throws ApiError */
export function correctMemory(client: OracleClient, id: string, text: string): Promise<IMemory> {
  return client.request("PUT", `/memory/${encodeURIComponent(id)}`, { body: { text } });
}

/** Take a fact out of the memory. @throws ApiError */
export async function forgetMemory(client: OracleClient, id: string): Promise<void> {
  await client.request("DELETE", `/memory/${encodeURIComponent(id)}`);
}
