import { Alert, Stack, Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { localeOf } from "../../i18n/i18n.ts";
import { WideTable } from "../../show/wide-table.tsx";
import type { Report } from "./report.ts";

/** Shows the date of the tables and the problems that a recipient would reject. */
export function Validation({ report }: { report: Report }) {
  const { t, i18n } = useTranslation();
  const { asOf, block, frozen, validation, unchecked } = report;
  const time = new Intl.DateTimeFormat(localeOf(i18n.language), {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return (
    <Stack gap="sm">
      <Text size="sm">
        {t("regulator.aef.asOf", { time: time.format(new Date(asOf)), block })}{" "}
        {t(frozen ? "regulator.aef.frozen" : "regulator.aef.running")}
      </Text>
      <Alert
        color={validation.length === 0 ? "teal" : "red"}
        title={
          validation.length === 0 ? t("regulator.aef.valid") : t("regulator.aef.problems", { count: validation.length })
        }
      >
        {validation.length > 0 && (
          <WideTable label={t("regulator.aef.problem")} minWidth={520} maxHeight={320}>
            <Table aria-label={t("regulator.aef.problem")}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t("regulator.aef.table")}</Table.Th>
                  <Table.Th>{t("regulator.aef.row")}</Table.Th>
                  <Table.Th>{t("regulator.aef.field")}</Table.Th>
                  <Table.Th>{t("regulator.aef.problem")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {validation.map(({ table, row, field, problem }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one cell may break several rules
                  <Table.Tr key={index}>
                    <Table.Td>{table}</Table.Td>
                    <Table.Td>{row}</Table.Td>
                    <Table.Td>{field}</Table.Td>
                    <Table.Td>{problem}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </WideTable>
        )}
      </Alert>
      {unchecked.length > 0 && (
        <details>
          <summary>{`${t("regulator.aef.unchecked")} (${unchecked.length})`}</summary>
          <ul>
            {unchecked.map(({ table, field, reason }) => (
              <li key={`${table} ${field}`}>
                <Text size="sm">{`${table}.${field}: ${reason}`}</Text>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Stack>
  );
}
