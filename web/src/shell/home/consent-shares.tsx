import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { SummaryReport } from "../../../../wire/src/reports.ts";
import { useStateWord } from "../../show/state-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";

/** How households agreed to their redemptions: the number and the share of each level of consent. */
export function ConsentShares({ consents }: Pick<SummaryReport, "consents">) {
  const { t, i18n } = useTranslation();
  const word = useStateWord("consent");
  const total = consents.reduce((sum, { count }) => sum + count, 0);
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent", maximumFractionDigits: 1 });
  return (
    <>
      <Text size="sm" fw={600}>
        {t("home.consents.title")}
      </Text>
      <WideTable label={t("home.consents.title")} minWidth={320}>
        <Table aria-label={t("home.consents.title")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("home.consents.level")}</Table.Th>
              <Table.Th ta="end">{t("home.consents.count")}</Table.Th>
              <Table.Th ta="end">{t("home.consents.share")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {consents.map(({ level, count }) => (
              <Table.Tr key={level}>
                <Table.Td>{word(level)}</Table.Td>
                <Table.Td ta="end">{number.format(count)}</Table.Td>
                <Table.Td ta="end">{percent.format(count / total)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </>
  );
}
