import { Alert, Button, Card, Group, Stack, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import type { AskedPurchase } from "./asked-purchase.ts";

type PhoneRequest = Schemas["PhoneRequest"];

const colorOf = {
  waiting: "pending",
  sent: "pending",
  approved: "ok",
  refused: "rejected",
  expired: "suspended",
} as const;

/** A purchase that the household's phone was asked to approve: what it does now, and its answer. */
export function PhoneRequestCard({ asked, onOtherWay }: { asked: AskedPurchase; onOtherWay: () => void }) {
  const { t } = useTranslation();
  const { online } = useNetwork();
  const card = useRef<HTMLDivElement>(null);
  // It replaces the form that had the focus.
  useEffect(() => card.current?.focus(), []);
  const { data, error, refetch } = usePhoneRequest(asked.requestId);
  const isOver = data?.status === "refused" || data?.status === "expired";
  return (
    <Card
      ref={card}
      tabIndex={-1}
      withBorder
      padding="md"
      component="article"
      aria-label={t("supplier.phone.title", { voucherId: asked.voucherId })}
    >
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>
            <Amount value={asked.amount} unit="carbon" />
          </Text>
          {data !== undefined && (
            <StatusBadge status={colorOf[data.status]} label={t(`supplier.phone.status.${data.status}`)} />
          )}
        </Group>
        <Text size="sm">{asked.productName}</Text>
        <CodeValue value={asked.voucherId} />
        {data === undefined && error === null && online && <Loading />}
        {/* Rendered from the start, so that screen readers announce later changes. */}
        <div role="status">
          {data !== undefined && <Answer request={data} />}
          {!online && data?.status !== "approved" && !isOver && <Text size="sm">{t("supplier.phone.offline")}</Text>}
        </div>
        {data === undefined && error !== null && online && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {isOver && (
          <Group>
            <Button size="xs" onClick={onOtherWay}>
              {t("supplier.phone.otherWay")}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Answer({ request: { status, expiresAt, redemptionId } }: { request: PhoneRequest }) {
  const { t } = useTranslation();
  if (status === "waiting") {
    return (
      <Stack gap={4}>
        <Text size="sm">{t("supplier.phone.waiting")}</Text>
        <Text size="sm">
          {t("supplier.phone.until")} <Moment at={expiresAt} />
        </Text>
      </Stack>
    );
  }
  if (status === "sent") return <Text size="sm">{t("supplier.phone.sent")}</Text>;
  if (status !== "approved" || redemptionId === null) {
    return (
      <Alert color="orange" role="group">
        {t(status === "refused" ? "supplier.phone.refusedByHousehold" : "supplier.phone.expired")}
      </Alert>
    );
  }
  const id = encodeURIComponent(redemptionId);
  return (
    <Alert color="teal" role="group" title={t("supplier.queue.settledTitle")}>
      <Stack gap="xs">
        <CodeValue value={redemptionId} />
        <Group gap="xs">
          <Button size="xs" component={Link} to={`/supplier/claim/${id}`}>
            {t("supplier.queue.claim")}
          </Button>
          <Button size="xs" variant="default" component={Link} to={`/supplier/receipt/${id}`}>
            {t("supplier.receipt.title")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The request's state, read again every few seconds until the household has answered or the time is over. */
function usePhoneRequest(requestId: string) {
  return useQuery<PhoneRequest>({
    queryKey: ["phone-request", requestId],
    staleTime: 0,
    refetchInterval: ({ state }) => (isOpen(state.data?.status ?? "waiting") ? 3_000 : false),
    queryFn: async ({ signal }) => {
      const request = await hearth.get("/v1/phones/requests/{requestId}", { path: { requestId }, signal });
      // The voucher's balance and the lists of redemptions have changed.
      if (request.status === "approved") void queryClient.invalidateQueries({ queryKey: ["supplier"] });
      return request;
    },
  });
}

const isOpen = (status: string) => status === "waiting" || status === "sent";
