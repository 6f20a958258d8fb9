import { Alert, Button, Code, Group, Stack, Table, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { PartnerDialog } from "./partner-dialog.tsx";
import { partnersKey } from "./partners-key.ts";

type Partner = Schemas["PayoutPartner"];

/** The mobile-money partners: add one, and close one. */
export function Partners() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<Schemas["CreatedPayoutPartner"]>();
  const { data, error, refetch } = useQuery({
    queryKey: partnersKey,
    queryFn: ({ signal }) => hearth.get("/v1/payouts/partners", { signal }).then(({ items }) => items),
  });
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("payouts.partners.title")}
        </Title>
        <Button onClick={() => setOpen(true)}>{t("payouts.partners.add")}</Button>
      </Group>
      {error !== null && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {made !== undefined && (
        <Alert title={t("payouts.partners.callback")} withCloseButton onClose={() => setMade(undefined)}>
          <Text size="sm">{t("payouts.partners.callbackHint")}</Text>
          <Code block>{made.callbackUrl}</Code>
        </Alert>
      )}
      {data?.length === 0 && <EmptyNotice text={t("payouts.partners.empty")} />}
      {data !== undefined && data.length > 0 && <PartnerTable partners={data} />}
      {isOpen && <PartnerDialog onMade={setMade} onClose={() => setOpen(false)} />}
    </Stack>
  );
}

function PartnerTable({ partners }: { partners: Partner[] }) {
  const { t } = useTranslation();
  const close = useMutation({
    mutationFn: (id: string) => hearth.delete("/v1/payouts/partners/{id}", { path: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: partnersKey }),
  });
  return (
    <>
      {close.isError && <ErrorNotice error={close.error} />}
      <WideTable label={t("payouts.partners.title")} minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("payouts.partners.name")}</Table.Th>
              <Table.Th>{t("payouts.partners.currency")}</Table.Th>
              <Table.Th>{t("payouts.partners.account")}</Table.Th>
              <Table.Th>{t("payouts.partners.state")}</Table.Th>
              <Table.Th>{t("payouts.partners.action")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {partners.map(({ id, name, currency, account, closedAt }) => (
              <Table.Tr key={id}>
                <Table.Td translate="no">{name}</Table.Td>
                <Table.Td>{currency}</Table.Td>
                <Table.Td>{account}</Table.Td>
                <Table.Td>{t(closedAt === null ? "payouts.partners.open" : "payouts.partners.closed")}</Table.Td>
                <Table.Td>
                  {closedAt === null && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={`${t("payouts.partners.close")} ${name}`}
                      onClick={() => close.mutate(id)}
                    >
                      {t("payouts.partners.close")}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </>
  );
}
