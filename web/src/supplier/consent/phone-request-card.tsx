import { Alert, Button, Card, Group, Stack, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { HearthError } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { serverNow } from "../../api/server-time.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import { cancelPurchase, findRequest, isRefused, untilOf } from "./ask-phone.ts";
import type { AskedPurchase } from "./asked-purchase.ts";

type PhoneRequest = Schemas["PhoneRequest"];

const colorOf = {
  waiting: "pending",
  sent: "pending",
  approved: "ok",
  refused: "rejected",
  expired: "suspended",
  cancelled: "suspended",
} as const;

const unpaidText = { refused: "refusedByHousehold", expired: "expired", cancelled: "cancelled" } as const;
/** How often an open request is read again, in milliseconds. */
const refreshMs = 3_000;

type PhoneRequestCardProps = {
  asked: AskedPurchase;
  /** Take the next voucher. */
  onNext: () => void;
  /** Take another payment with the same voucher. */
  onOtherWay: () => void;
};

/**
 * A purchase that the household's phone was asked to approve: what it does now, and its answer. The person can leave it only when the
 * household can no longer agree, so that the same goods are not paid twice.
 */
export function PhoneRequestCard({ asked, onNext, onOtherWay }: PhoneRequestCardProps) {
  const { t } = useTranslation();
  const { online } = useNetwork();
  const card = useRef<HTMLDivElement>(null);
  // It replaces the form that had the focus.
  useEffect(() => card.current?.focus(), []);
  const { data, error, refetch } = usePhoneRequest(asked);
  const leave = useLeave(asked, data);
  const isOpen = data === undefined || !isOver(data);
  const isAgreed = data?.status === "sent" || data?.status === "approved";
  const leaveTo = (next: () => void) => leave.mutate({ next, wasWarned: leave.isError });
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
          {!online && isOpen && <Text size="sm">{t("supplier.phone.offline")}</Text>}
        </div>
        {error !== null && online && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {leave.isError && isOpen && (
          <Alert color="orange" role="alert">
            {t("supplier.phone.stillOpen")} <Moment at={untilOf(asked)} />
          </Alert>
        )}
        {leave.isError && isOpen && online && error === null && <ErrorNotice error={leave.error} />}
        <Group gap="xs">
          {!isAgreed && (
            <Button size="xs" loading={leave.isPending} onClick={() => leaveTo(onOtherWay)}>
              {t(data !== undefined && isUnpaid(data) ? "supplier.phone.otherWay" : "supplier.phone.cancel")}
            </Button>
          )}
          <Button size="xs" variant="light" loading={leave.isPending} onClick={() => leaveTo(onNext)}>
            {t("supplier.redeem.next")}
          </Button>
        </Group>
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
  if (status !== "approved") {
    return (
      <Alert color="orange" role="group">
        {t(`supplier.phone.${unpaidText[status]}`)}
      </Alert>
    );
  }
  // An approved request has one.
  const redemption = redemptionId ?? "";
  const id = encodeURIComponent(redemption);
  return (
    <Alert color="teal" role="group" title={t("supplier.queue.settledTitle")}>
      <Stack gap="xs">
        <CodeValue value={redemption} />
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

type Leaving = {
  next: () => void;
  /** Whether the page has said that the household may have agreed. */
  wasWarned: boolean;
};

/**
 * Leave the purchase after its request was cancelled. If the household has approved it, that is shown instead. Without an answer of the
 * service, the purchase can be left when the household's time is over, so that a lost network does not stop the till.
 */
function useLeave(asked: AskedPurchase, request: PhoneRequest | undefined) {
  return useMutation({
    // Without a network it fails immediately, and nothing is sent later.
    networkMode: "always",
    mutationFn: async ({ next, wasWarned }: Leaving) => {
      if (request !== undefined && isOver(request)) return next();
      try {
        const now = await cancelPurchase(asked);
        if (now === undefined || isUnpaid(now)) next();
        else queryClient.setQueryData(requestKey(asked), now);
      } catch (error) {
        if (!wasWarned || serverNow() <= Date.parse(untilOf(asked))) throw error;
        next();
      }
    },
  });
}

const requestKey = ({ key }: AskedPurchase) => ["phone-request", key];

/** The request's state, read again every few seconds until it is over or the service refuses to tell it. */
function usePhoneRequest(asked: AskedPurchase) {
  const query = useQuery<PhoneRequest>({
    queryKey: requestKey(asked),
    staleTime: 0,
    refetchInterval: ({ state: { data, error } }) =>
      (data !== undefined && isOver(data)) || isFinal(error) ? false : refreshMs,
    queryFn: async ({ signal }) => {
      const requestId = await findRequest(asked);
      return await hearth.get("/v1/phones/requests/{requestId}", { path: { requestId }, signal });
    },
  });
  const isPaid = query.data?.status === "approved";
  // The voucher's balance and the lists of redemptions have changed.
  useEffect(() => {
    if (isPaid) void queryClient.invalidateQueries({ queryKey: ["supplier"] });
  }, [isPaid]);
  return query;
}

/** Whether reading again cannot help by itself, such as for an unknown request or an ended key. */
const isFinal = (error: unknown) => isRefused(error) && !(error as HearthError).isPassing;

const isOver = ({ status }: PhoneRequest) => status !== "waiting" && status !== "sent";
const isUnpaid = (request: PhoneRequest) => isOver(request) && request.status !== "approved";
