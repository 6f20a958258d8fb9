import { Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { numberFormat } from "../../i18n/formats.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { useStateWord } from "../../show/state-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";

/** Number of redemptions by who acted for the household, at each level of consent. */
export function ActorFigures() {
  const { t, i18n } = useTranslation();
  const word = useStateWord("consent");
  const figures = useQuery({
    queryKey: ["regulator", "redemption-actors"],
    queryFn: ({ signal }) => hearth.get("/v1/redemption-actors", { signal }),
  });
  if (figures.isError) return <ErrorNotice error={figures.error} onRetry={() => void figures.refetch()} />;
  const items = figures.data?.items ?? [];
  if (items.length === 0) return null;
  const number = numberFormat(localeOf(i18n.language), {});
  const title = t("traced.actor.title");
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed">{t("traced.actor.lead")}</Text>
      <WideTable label={title} minWidth={400}>
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("traced.actor.channelColumn")}</Table.Th>
              <Table.Th>{t("regulator.column.consent")}</Table.Th>
              <Table.Th ta="end">{t("regulator.redemptions.title")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map(({ channel, consent, count }) => (
              <Table.Tr key={`${channel} ${consent}`}>
                <Table.Td>{t(`traced.actor.channel.${channel}`)}</Table.Td>
                <Table.Td>{word(consent)}</Table.Td>
                <Table.Td ta="end">{number.format(count)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Stack>
  );
}
