import { Button, Group, Select, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { exact, toMicro } from "../../../../wire/src/exact.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { formatScaled, parseScaled } from "../../numbers/scaled.ts";
import { payoutsKey } from "../../payouts/payout-list.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { useMoneyText } from "../../show/money.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { partnersKey } from "./partners-key.ts";

const ratesKey = ["payout-rates"];
/** The newest ones; the API lists all. */
const shown = 10;

/** The newest exchange rates, and the button that records one. */
export function Rates() {
  const { t } = useTranslation();
  const money = useMoneyText();
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ratesKey,
    queryFn: ({ signal }) =>
      hearth.get("/v1/payouts/rates", { query: { limit: shown }, signal }).then(({ items }) => items),
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("payouts.rates.title")}
        </Title>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t("payouts.rates.add")}
        </Button>
      </Group>
      {error !== null && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && <EmptyNotice text={t("payouts.rates.empty")} />}
      {data !== undefined && data.length > 0 && (
        <WideTable label={t("payouts.rates.title")} minWidth={320}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("payouts.rates.rate")}</Table.Th>
                <Table.Th>{t("payouts.rates.at")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map(({ id, currency, rate, recordedAt }) => (
                <Table.Tr key={id}>
                  <Table.Td>{money({ micro: toMicro(rate), currency })}</Table.Td>
                  <Table.Td>
                    <Moment at={recordedAt} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      )}
      {isOpen && <RateDialog onClose={() => setOpen(false)} />}
    </Stack>
  );
}

function RateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { data: partners = [] } = useQuery({
    queryKey: partnersKey,
    queryFn: ({ signal }) => hearth.get("/v1/payouts/partners", { signal }).then(({ items }) => items),
  });
  const currencies = [...new Set(partners.map(({ currency }) => currency))];
  const form = useForm({
    initialValues: { currency: "", rate: "" },
    validate: { rate: (text) => ((parseScaled(text, 6) ?? 0n) > 0n ? null : t("payouts.rates.wrong")) },
  });
  const record = useMutation({
    mutationFn: ({ currency, rate }: typeof form.values) =>
      hearth.post("/v1/payouts/rates", {
        body: { currency, rate: exact(formatScaled(parseScaled(rate, 6) ?? 0n, 6)) },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ratesKey });
      await queryClient.invalidateQueries({ queryKey: payoutsKey });
      onClose();
    },
  });
  return (
    <Dialog title={t("payouts.rates.add")} onClose={onClose}>
      <Form
        form={form}
        work={record}
        submit={t("payouts.rates.add")}
        canSubmit={form.values.currency !== ""}
        onCancel={onClose}
      >
        <Text size="sm">{t("payouts.rates.hint")}</Text>
        <Select
          label={t("payouts.rates.currency")}
          data={currencies}
          allowDeselect={false}
          required
          data-autofocus
          {...form.getInputProps("currency")}
        />
        <TextInput
          label={t("payouts.rates.rate")}
          inputMode="decimal"
          autoComplete="off"
          required
          {...form.getInputProps("rate")}
        />
      </Form>
    </Dialog>
  );
}
