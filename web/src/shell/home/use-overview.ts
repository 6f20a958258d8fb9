import { useQuery } from "@tanstack/react-query";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";

/** What concerns the person who is signed in; not requested without a key. */
export function useOverview() {
  const { key } = useSession();
  const midnight = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  return useQuery({
    queryKey: ["home", "overview", midnight],
    enabled: key !== undefined,
    queryFn: ({ signal }) => hearth.get("/v1/overview", { query: { since: midnight }, signal }),
  });
}
