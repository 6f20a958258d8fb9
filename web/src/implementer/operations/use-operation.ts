import { useQuery } from "@tanstack/react-query";
import { hearth } from "../../api/client.ts";
import { hasEnded } from "../../api/operation.ts";

const askMs = 700;

/** An operation's progress, polled until it ends. */
export function useOperation(id: string | undefined) {
  return useQuery({
    queryKey: ["operations", id],
    enabled: id !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => hearth.get("/v1/operations/{id}", { path: { id: id ?? "" }, signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : askMs),
  });
}
