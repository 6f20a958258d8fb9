import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { localeOf } from "../../i18n/i18n.ts";
import { WideTable } from "../../show/wide-table.tsx";
import type { Reduction } from "./result.ts";
import { formatDecimal, type WaterfallStep, waterfallOf } from "./waterfall.ts";

function colorOf({ isTotal, amount, key }: WaterfallStep): string {
  if (key === "reduction") return "teal.7";
  if (isTotal) return "blue.6";
  return amount.startsWith("-") ? "orange.6" : "grape.6";
}

/** The steps from the baseline to the reduction, as a chart and as a table. */
export function WaterfallChart({ reduction }: { reduction: Reduction }) {
  const { t, i18n } = useTranslation();
  const steps = waterfallOf(reduction);
  if (steps === undefined) return null;
  const hint = t("regulator.campaigns.waterfallHint", { method: `${reduction.title} ${reduction.version}` });
  const format = (value: string | number) => formatDecimal(value, localeOf(i18n.language));
  const data = steps.map((step, index) => ({
    step: t(`regulator.campaigns.${step.key}`),
    // Heights in the chart may be rounded; the table is exact.
    amount: Number(step.amount),
    color: colorOf(step),
    // Later totals start from zero instead of from the step before.
    ...(step.isTotal && index > 0 ? { standalone: true } : {}),
  }));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      <div role="img" aria-label={hint}>
        <BarChart
          h={320}
          data={data}
          dataKey="step"
          type="waterfall"
          series={[{ name: "amount", label: t("regulator.campaigns.amount"), color: "blue.6" }]}
          valueFormatter={format}
          barProps={{ isAnimationActive: false, maxBarSize: 72 }}
          xAxisProps={{
            interval: 0,
            height: 90,
            angle: -28,
            textAnchor: "end",
            tick: { fontSize: 11, fill: "var(--mantine-color-dimmed)" },
          }}
          barChartProps={{ accessibilityLayer: false, margin: { left: 16 } }}
        />
      </div>
      <WideTable label={t("regulator.campaigns.waterfall")} minWidth={280}>
        <Table aria-label={t("regulator.campaigns.waterfall")} maw={560}>
          <Table.Tbody>
            {steps.map(({ key, amount, isTotal }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" fw={isTotal ? 700 : 400}>
                  {t(`regulator.campaigns.${key}`)}
                </Table.Th>
                <Table.Td ta="end" fw={isTotal ? 700 : 400} title={amount}>
                  {format(amount)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Stack>
  );
}
