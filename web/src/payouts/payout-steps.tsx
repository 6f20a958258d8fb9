import { Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { toMicro } from "../../../wire/src/exact.ts";
import { useAmountText } from "../show/amount.tsx";
import { Dialog } from "../show/dialog.tsx";
import { Moment } from "../show/moment.tsx";
import { useMoneyText } from "../show/money.tsx";
import { StateBadge } from "../show/state-badge.tsx";
import { type Payout, usePayoutAmount } from "./payout.ts";

/** What happened to one payout, step by step. */
export function PayoutSteps({ payout, onClose }: { payout: Payout; onClose: () => void }) {
  const { t } = useTranslation();
  const amount = usePayoutAmount();
  const amountText = useAmountText();
  const money = useMoneyText();
  const { currency, rate } = payout;
  return (
    <Dialog title={t("payouts.steps.title", { id: payout.id })} size="lg" onClose={onClose}>
      <Stack gap="md">
        <Facts
          facts={[
            [t("payouts.steps.stablecoin"), amountText({ value: payout.stablecoin }, "stablecoin")],
            [t("payouts.column.paidAt"), <Moment key="at" at={payout.paidAt} />],
            [t("payouts.column.amount"), amount(payout)],
            [
              t("payouts.steps.rate"),
              rate === null || currency === null ? undefined : money({ micro: toMicro(rate), currency }),
            ],
            [t("payouts.steps.remainder"), payout.remainder === null ? undefined : `${payout.remainder} ${currency}`],
            [t("payouts.column.status"), <StateBadge key="state" kind="payout" state={payout.status} />],
          ]}
        />
        {payout.attempts.map((attempt) => (
          <Stack key={attempt.reference} gap={4}>
            <Text fw={600}>{t("payouts.steps.attempt", { number: attempt.number })}</Text>
            <Facts
              facts={[
                [t("payouts.column.account"), attempt.account],
                [t("payouts.steps.prepared"), <Moment key="prepared" at={attempt.preparedAt} />],
                [t("payouts.steps.called"), momentOf(attempt.calledAt)],
                [t("payouts.steps.sent"), momentOf(attempt.sentAt)],
                [t("payouts.steps.asked"), momentOf(attempt.askedAt)],
                [t("payouts.steps.ended"), momentOf(attempt.endedAt)],
                [t("payouts.steps.reason"), attempt.reason && <span lang="en">{attempt.reason}</span>],
                [t("payouts.steps.transaction"), attempt.partnerTransaction],
                [t("payouts.steps.reference"), attempt.reference],
              ]}
            />
          </Stack>
        ))}
      </Stack>
    </Dialog>
  );
}

function momentOf(at: string | null): ReactNode {
  return at === null ? undefined : <Moment at={at} />;
}

/** A table of names and values; what has no value is left out. */
function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <Table layout="fixed">
      <Table.Tbody>
        {facts
          .filter(([, value]) => value !== undefined && value !== null && value !== "")
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
