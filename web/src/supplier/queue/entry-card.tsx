import { Alert, Button, Card, Group, List, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Moment } from "../../show/moment.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import type { QueueEntry } from "./entry.ts";
import { useNextSteps } from "./next-step.ts";
import { dropEntry, retryEntry } from "./use-queue.ts";

const colorOf = { waiting: "pending", settled: "ok", refused: "rejected", unsure: "suspended" } as const;

type EntryCardProps = {
  entry: QueueEntry;
  onDone?: () => void;
  /** True: it replaces the form that had the focus, so it takes the focus. */
  takesFocus?: boolean;
};

/** An order of the queue: its contents, its result, and its actions. */
export function EntryCard({ entry, onDone, takesFocus = false }: EntryCardProps) {
  const { t } = useTranslation();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) card.current?.focus();
  }, [takesFocus]);
  const { state, amount, productName, voucherId, createdAt, signed } = entry;
  return (
    <Card
      ref={card}
      tabIndex={-1}
      withBorder
      padding="md"
      component="article"
      aria-label={`${t(`supplier.queue.${state}`)} ${voucherId}`}
    >
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>
            <Amount value={amount} unit="carbon" />
          </Text>
          <StatusBadge status={colorOf[state]} label={t(`supplier.queue.${state}`)} />
        </Group>
        <Text size="sm">{productName}</Text>
        <CodeValue value={voucherId} />
        <Text size="xs" c="dimmed">
          <Moment at={new Date(createdAt).toISOString()} /> ·{" "}
          {t(signed ? "supplier.queue.signed" : "supplier.queue.plain")}
        </Text>
        {/* Rendered from the start, so that screen readers announce later changes. */}
        <div role="status">
          <Outcome entry={entry} />
        </div>
        <Actions entry={entry} {...(onDone === undefined ? {} : { onDone })} />
      </Stack>
    </Card>
  );
}

function Outcome({ entry: { state, problem, redemptionId, remainingBalance } }: { entry: QueueEntry }) {
  const { t } = useTranslation();
  if (state === "settled") {
    return (
      <Alert color="teal" role="group" title={t("supplier.queue.settledTitle")}>
        <Stack gap={4}>
          {redemptionId !== undefined && <CodeValue value={redemptionId} />}
          {remainingBalance !== undefined && (
            <Text size="sm">
              {t("supplier.redeem.remaining")}: <Amount value={remainingBalance} unit="carbon" />
            </Text>
          )}
        </Stack>
      </Alert>
    );
  }
  if (state === "unsure")
    return (
      <Alert color="orange" role="group">
        {t("supplier.queue.unsureHint")}
      </Alert>
    );
  if (state === "waiting") return <Text size="sm">{t("supplier.queue.waitingHint")}</Text>;
  return <Refusal problem={problem} />;
}

function Refusal({ problem }: Pick<QueueEntry, "problem">) {
  const { t } = useTranslation();
  const steps = useNextSteps()(problem);
  return (
    <Alert color="red" role="group" title={t("supplier.queue.refusedTitle")}>
      <Stack gap="xs">
        <List size="sm" lang="en">
          {problem?.details.map(({ path, rule, message }) => (
            <List.Item key={`${path} ${rule}`}>
              {message}{" "}
              <Text span size="xs" ff="monospace">
                {rule}
              </Text>
            </List.Item>
          ))}
          {(problem?.details.length ?? 0) === 0 && <List.Item>{problem?.message}</List.Item>}
        </List>
        <Text size="sm" fw={600}>
          {t("supplier.next.title")}
        </Text>
        <List size="sm">
          {steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      </Stack>
    </Alert>
  );
}

function Actions({ entry, onDone }: { entry: QueueEntry; onDone?: () => void }) {
  const { t } = useTranslation();
  const { id, state, redemptionId, supplierDid } = entry;
  const drop = async () => {
    await dropEntry(id);
    onDone?.();
  };
  return (
    <Group gap="xs">
      {state === "settled" && redemptionId !== undefined && (
        <Button size="xs" component={Link} to={`/supplier/claim/${encodeURIComponent(redemptionId)}`}>
          {t("supplier.queue.claim")}
        </Button>
      )}
      {state === "settled" && redemptionId !== undefined && (
        <Button
          size="xs"
          variant="default"
          component={Link}
          to={`/supplier/receipt/${encodeURIComponent(redemptionId)}`}
        >
          {t("supplier.receipt.title")}
        </Button>
      )}
      {(state === "refused" || state === "unsure") && (
        <Button size="xs" onClick={() => void retryEntry(entry, supplierDid)}>
          {t("supplier.queue.again")}
        </Button>
      )}
      {state !== "waiting" && (
        <Button size="xs" variant="default" onClick={drop}>
          {t("supplier.queue.dismiss")}
        </Button>
      )}
    </Group>
  );
}
