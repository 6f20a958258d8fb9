import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { hearth } from "../api/client.ts";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import type { Redemption } from "./records.ts";

type RedemptionFrameProps = { title: string; lead?: string; children: (redemption: Redemption) => ReactNode };

/** A page about the redemption that the address names. */
export function RedemptionFrame({ title, lead, children }: RedemptionFrameProps) {
  const { redemptionId = "" } = useParams({ strict: false }) as { redemptionId?: string };
  const { data, error, refetch } = useQuery({
    queryKey: ["supplier", "redemptions", redemptionId],
    queryFn: ({ signal }) => hearth.get("/v1/redemptions/{redemptionId}", { path: { redemptionId }, signal }),
  });
  return (
    <PageFrame title={title} {...(lead === undefined ? {} : { lead })}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : children(data)}
    </PageFrame>
  );
}
