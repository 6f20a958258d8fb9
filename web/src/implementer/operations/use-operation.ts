import { useQuery } from "@tanstack/react-query";
import { request } from "../../api/request.ts";

export type Operation = {
  id: string;
  type: string;
  status: "queued" | "running" | "succeeded" | "partial" | "failed";
  progress: { done: number; total: number; failed: number };
  error?: { code: string; message: string; details?: { path?: string; rule: string; message: string }[] };
  createdAt: string;
};
export type StartedOperation = { operationId: string };

const askMs = 700;

export function hasEnded({ status }: Operation): boolean {
  return status !== "queued" && status !== "running";
}

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
