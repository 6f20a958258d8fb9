import "@mantine/charts/styles.css";
import { BarChart, LineChart } from "@mantine/charts";
import { Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { type ChartArguments, chartRows } from "./component-arguments.ts";

const colors = ["teal.7", "orange.7", "blue.7", "grape.7", "red.7", "lime.8", "cyan.8", "gray.7"];

/** The table gives screen readers the numbers, so the drawing takes no focus. */
const drawing = { accessibilityLayer: false };

/** A bar or line chart, and its numbers as a table for screen readers. */
export function ChartView(args: ChartArguments) {
  const { title, kind, series } = args;
  const data = chartRows(args);
  const shared = {
    ...{ h: 240, data, dataKey: "label", withLegend: series.length > 1 },
    series: series.map((name, index) => ({ name, color: colors[index] ?? "teal.7" })),
  };
  return (
    <Stack gap="xs">
      {title !== undefined && <Text fw={600}>{title}</Text>}
      <div aria-hidden>
        {kind === "line" ? (
          <LineChart {...shared} lineChartProps={drawing} />
        ) : (
          <BarChart {...shared} barChartProps={drawing} />
        )}
      </div>
      <VisuallyHidden>
        <Table aria-label={title ?? series.join(", ")}>
          <Table.Tbody>
            {data.map((row) => (
              <Table.Tr key={String(row.label)}>
                <Table.Th scope="row">{row.label}</Table.Th>
                {series.map((name) => (
                  <Table.Td key={name}>{row[name]}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </Stack>
  );
}
