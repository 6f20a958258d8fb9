import type { Operations } from "../operations/index.ts";
import type { AddedSource } from "./added-notices.ts";

/** Notifies a person that an import has ended which their key started. @param types types of operations that count as imports */
export function endedImports({ store }: Operations, types: readonly string[]): AddedSource {
  return {
    topic: "imports",
    read: async ({ keyId }, since) => {
      const ended = await store.endedSince(keyId, types, since);
      return ended.map(({ id, endedAt }) => ({
        id: `operation ${id}`,
        type: "import.finished",
        subject: id,
        at: endedAt,
      }));
    },
  };
}
