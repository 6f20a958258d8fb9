import { Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { WideTable } from "../../show/wide-table.tsx";
import { groupNames, type Result } from "./result.ts";
import { formatDecimal } from "./waterfall.ts";

const figures = [
  "mean",
  "standardDeviation",
  "coefficientOfVariation",
  "lowerBound",
  "upperBound",
  "precision",
] as const;

/** The statistics of both groups side by side, and the saving. */
export function GroupsTable({ result: { groups, saving } }: { result: Result }) {
  const { t, i18n } = useTranslation();
  const show = (value: Decimal | null) =>
    value === null ? t("common.none") : formatDecimal(value, localeOf(i18n.language));
  return (
    <WideTable label={t("regulator.campaigns.groups")} minWidth={320}>
      <Table aria-label={t("regulator.campaigns.groups")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("regulator.campaigns.statistic")}</Table.Th>
            {groupNames.map((name) => (
              <Table.Th key={name} ta="end">
                {t(`regulator.campaigns.${name}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row" fw={400}>
              {t("regulator.campaigns.n")}
            </Table.Th>
            {groupNames.map((name) => (
              <Table.Td key={name} ta="end">
                {groups[name].n}
              </Table.Td>
            ))}
          </Table.Tr>
          {groupNames.some((name) => groups[name].replaced !== undefined) && (
            <Table.Tr>
              <Table.Th scope="row" fw={400}>
                {t("regulator.campaigns.replaced")}
              </Table.Th>
              {groupNames.map((name) => (
                <Table.Td key={name} ta="end">
                  {groups[name].replaced ?? t("common.none")}
                </Table.Td>
              ))}
            </Table.Tr>
          )}
          {groupNames.some((name) => groups[name].remeasured !== undefined) && (
            <Table.Tr>
              <Table.Th scope="row" fw={400}>
                {t("regulator.campaigns.remeasured")}
              </Table.Th>
              {groupNames.map((name) => (
                <Table.Td key={name} ta="end">
                  {groups[name].remeasured?.length ?? t("common.none")}
                </Table.Td>
              ))}
            </Table.Tr>
          )}
          {figures.map((figure) => (
            <Table.Tr key={figure}>
              <Table.Th scope="row" fw={400}>
                {t(`regulator.campaigns.${figure}`)}
              </Table.Th>
              {groupNames.map((name) => (
                <Table.Td key={name} ta="end">
                  {show(groups[name][figure])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row" fw={400}>
              {t("regulator.campaigns.meets9010")}
            </Table.Th>
            {groupNames.map((name) => (
              <Table.Td key={name} ta="end">
                {t(groups[name].meets9010 ? "common.yes" : "common.no")}
              </Table.Td>
            ))}
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row" fw={400}>
              {t("regulator.campaigns.outliers")}
            </Table.Th>
            {groupNames.map((name) => (
              <Table.Td key={name} ta="end">
                {groups[name].outliers.map(({ position }) => position).join(", ") || t("common.none")}
              </Table.Td>
            ))}
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">{t("regulator.campaigns.saving")}</Table.Th>
            <Table.Td colSpan={2} ta="end">
              {`${show(saving.mean)} (${show(saving.lowerBound)} – ${show(saving.upperBound)})`}
            </Table.Td>
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">{t("regulator.campaigns.savingShare")}</Table.Th>
            <Table.Td colSpan={2} ta="end">
              {show(saving.share)}
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
