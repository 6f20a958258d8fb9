import { useQuery } from "@tanstack/react-query";
import { hasEnded, type Operation } from "../../api/operation.ts";
import { request } from "../../api/request.ts";

const askMs = 700;

/** How far long work is; asked again until it has ended. */
export function useOperation(id: string | undefined) {
  return useQuery({
    queryKey: ["operations", id],
    enabled: id !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => request<Operation>("GET", `/v1/operations/${encodeURIComponent(id ?? "")}`, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : askMs),
  });
}
