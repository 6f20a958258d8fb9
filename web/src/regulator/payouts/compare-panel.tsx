import { Alert, Button, Group, Paper, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { useAmountText } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { WideTable } from "../../show/wide-table.tsx";

type Result = Schemas["PayoutReconciliation"];

const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Compare a period's payments on chain, payouts and partners' statuses. Days are of UTC, both included. */
export function ComparePanel() {
  const { t } = useTranslation();
  const [first, setFirst] = useState(dayOf(Date.now() - 30 * dayMs));
  const [last, setLast] = useState(dayOf(Date.now()));
  const compare = useMutation({
    mutationFn: () => {
      const paidFrom = `${first}T00:00:00Z`;
      const paidBefore = `${dayOf(Date.parse(`${last}T00:00:00Z`) + dayMs)}T00:00:00Z`;
      return hearth.get("/v1/payouts/reconciliation", { query: { paidFrom, paidBefore } });
    },
  });
  return (
    <Paper withBorder p="md" radius="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("payouts.compare.title")}
        </Title>
        <Text c="dimmed">{t("payouts.compare.lead")}</Text>
        <Group align="flex-end" gap="sm">
          <TextInput
            type="date"
            label={t("payouts.compare.from")}
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
          />
          <TextInput
            type="date"
            label={t("payouts.compare.before")}
            value={last}
            onChange={(event) => setLast(event.currentTarget.value)}
          />
          <Button
            onClick={() => compare.mutate()}
            loading={compare.isPending}
            disabled={first === "" || last === "" || first > last}
          >
            {t("payouts.compare.run")}
          </Button>
        </Group>
        {compare.isError && <ErrorNotice error={compare.error} />}
        {compare.data !== undefined && <Outcome result={compare.data} />}
      </Stack>
    </Paper>
  );
}

function Outcome({ result: { differences, payments, paidOnChain } }: { result: Result }) {
  const { t } = useTranslation();
  const amount = useAmountText()({ value: paidOnChain }, "stablecoin");
  if (differences.length === 0) {
    return <Alert color="teal">{t("payouts.compare.agrees", { count: payments, amount })}</Alert>;
  }
  return (
    <>
      <Alert color="red" title={t("payouts.compare.differs", { count: differences.length })} />
      <WideTable label={t("payouts.compare.title")} minWidth={720} maxHeight={480}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("payouts.compare.kind")}</Table.Th>
              <Table.Th>{t("payouts.compare.payment")}</Table.Th>
              <Table.Th>{t("payouts.compare.recorded")}</Table.Th>
              <Table.Th>{t("payouts.compare.found")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ kind, paymentId, reference, recorded, found }) => (
              <Table.Tr key={`${kind} ${paymentId} ${reference}`}>
                <Table.Td>{t(`payouts.compare.difference.${kind}`)}</Table.Td>
                <Table.Td>{paymentId}</Table.Td>
                <Table.Td lang="en">{recorded}</Table.Td>
                <Table.Td lang="en">{found}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </>
  );
}
