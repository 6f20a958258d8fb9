import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { localeOf } from "../../i18n/i18n.ts";
import { WideTable } from "../../show/wide-table.tsx";
import type { Line } from "./result.ts";
import { formatDecimal } from "./waterfall.ts";

/** All lines of a calculation with their sources; pressing a value shows all its digits. */
export function LinesTable({ lines }: { lines: Line[] }) {
  const { t, i18n } = useTranslation();
  return (
    <details>
      <summary>{`${t("regulator.campaigns.lines")} (${lines.length})`}</summary>
      <WideTable label={t("regulator.campaigns.lines")} minWidth={640}>
        <Table aria-label={t("regulator.campaigns.lines")} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("regulator.campaigns.step")}</Table.Th>
              <Table.Th ta="end">{t("regulator.campaigns.amount")}</Table.Th>
              <Table.Th>{t("regulator.campaigns.unit")}</Table.Th>
              <Table.Th>{t("regulator.campaigns.source")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ name, value, unit, source }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step may occur twice, so the index is needed
              <Table.Tr key={index}>
                <Table.Td lang="en">{name}</Table.Td>
                <Table.Td ta="end">
                  <Text span size="sm" title={String(value)}>
                    {formatDecimal(value, localeOf(i18n.language), 6)}
                  </Text>
                </Table.Td>
                <Table.Td lang="en">{unit}</Table.Td>
                <Table.Td lang="en">{source}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </details>
  );
}
