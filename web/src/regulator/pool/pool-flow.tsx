import { fromMicro } from "../../../../wire/src/exact.ts";
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Amount, useAmountText } from "../../show/amount.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Day } from "../../show/moment.tsx";
import { WideTable } from "../../show/wide-table.tsx";

/** CARBON that the pool bought and sold on each of the last 60 days, as a chart and a table. */
export function PoolFlow() {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const days = useQuery({
    queryKey: ["index", "poolDays"],
    queryFn: ({ signal }) =>
      hearth.rows("poolDay", {
        fields: ["day", "carbonBought", "carbonSold"],
        orderBy: "day",
        direction: "desc",
        limit: 60,
        signal,
      }),
  });
  if (days.isPending) return <Loading />;
  if (days.isError) return <ErrorNotice error={days.error} onRetry={() => days.refetch()} />;
  if (days.data.length === 0) return <EmptyNotice text={t("regulator.pool.noFlow")} />;
  // Heights in the chart may be rounded; the table is exact.
  const height = (micro: string) => Number(fromMicro(BigInt(micro)));
  const data = [...days.data].reverse().map(({ day, carbonBought, carbonSold }) => ({
    day: new Date(day * 86_400_000).toISOString().slice(5, 10),
    bought: height(carbonBought),
    sold: height(carbonSold),
  }));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {t("regulator.pool.flowHint")}
      </Text>
      <figure style={{ margin: 0 }} role="img" aria-label={t("regulator.pool.flowHint")}>
        <BarChart
          h={240}
          data={data}
          dataKey="day"
          withLegend
          barProps={{ isAnimationActive: false, maxBarSize: 48 }}
          valueFormatter={(value) => amountText({ value: value.toFixed(6) })}
          yAxisProps={{ width: 80 }}
          series={[
            { name: "bought", label: t("regulator.pool.bought"), color: "teal.6" },
            { name: "sold", label: t("regulator.pool.sold"), color: "orange.6" },
          ]}
        />
      </figure>
      <details>
        <summary>{t("common.details")}</summary>
        <WideTable label={t("regulator.pool.flow")} minWidth={320}>
          <Table aria-label={t("regulator.pool.flow")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("common.day")}</Table.Th>
                <Table.Th ta="end">{t("regulator.pool.bought")}</Table.Th>
                <Table.Th ta="end">{t("regulator.pool.sold")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.data.map(({ day, carbonBought, carbonSold }) => (
                <Table.Tr key={day}>
                  <Table.Td>
                    <Day at={day} />
                  </Table.Td>
                  <Table.Td ta="end">
                    <Amount micro={carbonBought} unit="carbon" />
                  </Table.Td>
                  <Table.Td ta="end">
                    <Amount micro={carbonSold} unit="carbon" />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      </details>
    </Stack>
  );
}
