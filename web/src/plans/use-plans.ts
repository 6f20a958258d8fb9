import { useQuery } from "@tanstack/react-query";
import { hearth } from "../api/client.ts";

/** Most plans of a list to choose from. */
const limit = 500;

/** The monitoring plans of an implementer, or of all, the newest last. */
export function usePlans(implementerDid?: string) {
  return useQuery({
    queryKey: implementerDid === undefined ? ["admin", "plans", "all"] : ["implementer", "plans", implementerDid],
    queryFn: async ({ signal }) => {
      const query = { limit, ...(implementerDid === undefined ? {} : { implementerDid }) };
      return (await hearth.get("/v1/monitoring-plans", { query, signal })).items;
    },
  });
}
