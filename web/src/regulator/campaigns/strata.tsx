import { Table, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import { localeOf } from "../../i18n/i18n.ts";
import type { Campaign } from "../../implementer/campaigns/records.ts";
import { WideTable } from "../../show/wide-table.tsx";
import { type GroupName, groupNames, type Result } from "./result.ts";
import { formatDecimal } from "./waterfall.ts";

/** How the drawn positions of each stratum ended; nothing where the sample has no strata. */
export function StrataStates({ campaign: { groups } }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const columns = ["frameSize", "sampleSize", "drawn", "claims", "measured", "missing", "open"] as const;
  return (
    <ByStratum label={t("regulator.strata.states")} columns={columns} rowsOf={(group) => groups[group].strata ?? []} />
  );
}

/** The estimate of each stratum with its precision; nothing where the sample has no strata. */
export function StrataTable({ result: { groups, emissions } }: { result: Result }) {
  const { t } = useTranslation();
  const columns = ["share", "n", "mean", "halfWidth", "precision"] as const;
  if (groups.reference.strata === undefined) return null;
  return (
    <>
      <ByStratum
        label={t("regulator.strata.estimates", {
          unit: t(`implementer.result.unit.${emissions.terms?.valuePer ?? "household"}`),
        })}
        columns={columns}
        rowsOf={(group) => groups[group].strata ?? []}
      />
      <Text size="sm">{t("regulator.strata.weighted")}</Text>
    </>
  );
}

type ColumnName =
  | "claims"
  | "drawn"
  | "frameSize"
  | "halfWidth"
  | "mean"
  | "measured"
  | "missing"
  | "n"
  | "open"
  | "precision"
  | "sampleSize"
  | "share";

type ByStratumProps<Column extends ColumnName> = {
  label: string;
  columns: readonly Column[];
  rowsOf: (group: GroupName) => ({ id: string } & Record<Column, Decimal | null>)[];
};

function ByStratum<Column extends ColumnName>({ label, columns, rowsOf }: ByStratumProps<Column>) {
  const { t, i18n } = useTranslation();
  const rows = groupNames.flatMap((group) => rowsOf(group).map((row) => ({ group, row })));
  if (rows.length === 0) return null;
  return (
    <WideTable label={label} minWidth={560}>
      <Table aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("regulator.verify.group")}</Table.Th>
            <Table.Th>{t("regulator.strata.stratum")}</Table.Th>
            {columns.map((column: ColumnName) => (
              <Table.Th key={column} ta="end">
                {t(`regulator.strata.column.${column}`)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ group, row }) => (
            <Table.Tr key={`${group} ${row.id}`}>
              <Table.Td>{t(`regulator.campaigns.${group}`)}</Table.Td>
              <Table.Th scope="row" fw={400}>
                {row.id}
              </Table.Th>
              {columns.map((column) => {
                const value: Decimal | null = row[column];
                return (
                  <Table.Td key={column} ta="end">
                    {value === null ? t("common.none") : formatDecimal(value, localeOf(i18n.language))}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
