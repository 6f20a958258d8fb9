import { useQuery } from "@tanstack/react-query";
import { hearth } from "../../api/client.ts";

/** The scheme in figures. */
export function useSummary() {
  return useQuery({
    queryKey: ["home", "summary"],
    queryFn: ({ signal }) => hearth.get("/reports/summary", { signal }),
  });
}

/** What the summary says of each day. */
export const dayFigures = ["issued", "spent", "converted"] as const;
