import type { OracleClient } from "./client.ts";
import { addMemory, correctMemory, forgetMemory, type IMemory, listMemories } from "./memory.ts";
import type { Resource } from "./resource.ts";

/** Bind the functions that change the memory to an oracle, and reload the list after each change. */
export function memoryWrites(client: OracleClient | undefined, list: Resource<IMemory[]> | undefined) {
  const known = (): OracleClient => {
    if (client === undefined) throw new Error("The oracle's address is not known yet.");
    return client;
  };
  const write = async <T>(work: (client: OracleClient) => Promise<T>): Promise<T> => {
    const result = await work(known());
    await list?.load();
    return result;
  };
  return {
    remember: (text: string) => write((to) => addMemory(to, text)),
    correct: (id: string, text: string) => write((to) => correctMemory(to, id, text)),
    forget: (id: string) => write((to) => forgetMemory(to, id)),
    search: async (question: string, limit?: number) =>
      await listMemories(known(), { question, ...(limit === undefined ? {} : { limit }) }),
  };
}
