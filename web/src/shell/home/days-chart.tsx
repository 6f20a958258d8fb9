import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { SummaryReport } from "../../../../wire/src/reports.ts";
import { dateFormat, numberFormat } from "../../i18n/formats.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { Amount, useAmountText } from "../../show/amount.tsx";
import { Day } from "../../show/moment.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { dayFigures } from "./use-summary.ts";

const colors = { issued: "blue.6", spent: "teal.7", converted: "orange.6" };

/** What was issued, spent and converted on each of the last days, as a chart and as a table. */
export function DaysChart({ days }: { days: SummaryReport["days"] }) {
  const { t, i18n } = useTranslation();
  const amountText = useAmountText();
  const format = dateFormat(localeOf(i18n.language), { day: "numeric", month: "short", timeZone: "UTC" });
  const short = numberFormat(localeOf(i18n.language), { notation: "compact" });
  // Heights in the chart may be rounded; the table is exact.
  const data = days.map(({ date, issued, spent, converted }) => ({
    date: format.format(new Date(`${date}T00:00:00Z`)),
    issued: Number(issued),
    spent: Number(spent),
    converted: Number(converted),
  }));
  return (
    <>
      <Text size="sm" fw={600}>
        {t("home.days.title")}
      </Text>
      <figure style={{ margin: 0 }} role="img" aria-label={t("home.days.title")}>
        <BarChart
          h={200}
          data={data}
          dataKey="date"
          withLegend
          barProps={{ isAnimationActive: false, maxBarSize: 24 }}
          valueFormatter={(value) => amountText({ value: value.toFixed(6) }, "carbon")}
          yAxisProps={{ width: 60, tickFormatter: (value: number) => short.format(value) }}
          series={dayFigures.map((name) => ({ name, color: colors[name], label: t(`home.scheme.${name}`) }))}
        />
      </figure>
      <details>
        <summary>{t("home.days.table")}</summary>
        <WideTable label={t("home.days.title")} minWidth={480} maxHeight={320}>
          <Table aria-label={t("home.days.title")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("common.day")}</Table.Th>
                {dayFigures.map((name) => (
                  <Table.Th key={name} ta="end">
                    {t(`home.scheme.${name}`)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {[...days].reverse().map((day) => (
                <Table.Tr key={day.date}>
                  <Table.Td>
                    <Day at={day.date} />
                  </Table.Td>
                  {dayFigures.map((name) => (
                    <Table.Td key={name} ta="end">
                      <Amount value={day[name]} unit="carbon" />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
      </details>
    </>
  );
}
