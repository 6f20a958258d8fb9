import type { AddedSource } from "../../platform/notifications/index.ts";
import type { GovernanceStore } from "./store.ts";

/** Notifies administrators and authorities of each proposal to the council. */
export function proposalNotices(store: GovernanceStore): AddedSource {
  return {
    topic: "proposals",
    read: async ({ role }, since) => {
      if (role !== "admin" && role !== "regulator" && role !== "evaluator") return [];
      const made = await store.madeSince(since);
      return made.map(({ id, createdAt }) => ({
        id: `proposal ${id}`,
        type: "proposal.made",
        subject: id,
        at: createdAt,
      }));
    },
  };
}
