import { useQuery } from "@tanstack/react-query";
import { hearth } from "../../api/client.ts";

/** Suggested Parties: those of the cooperative approaches. Any other can be typed. */
export function useParties(): string[] {
  const { data = [] } = useQuery({
    queryKey: ["regulator", "parties"],
    queryFn: async ({ signal }) => {
      const found = await hearth.rows("approachParty", { fields: ["party"], limit: 1_000, signal });
      return [...new Set(found.map(({ party }) => party))].sort();
    },
  });
  return data;
}
