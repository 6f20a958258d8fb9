import { Table, Tabs, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { WideTable } from "../../show/wide-table.tsx";
import { useAddress } from "../../table/use-address.ts";
import { type TableName, type Tables, tableNames } from "./report.ts";

/** Most rows shown on the page; the file contains all. */
const shownRows = 100;

export function AefTables({ tables }: { tables: Tables }) {
  const { t } = useTranslation();
  const [table, setTable] = useAddress("table", ["actions", ...tableNames]);
  return (
    <Tabs value={table} onChange={setTable} keepMounted={false}>
      <Tabs.List mb="sm">
        {tableNames.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {`${t(`regulator.aef.tables.${name}`)} (${tables[name].length})`}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tableNames.map((name) => (
        <Tabs.Panel key={name} value={name}>
          <Rows name={name} rows={tables[name]} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Rows({ name, rows }: { name: TableName; rows: Tables[TableName] }) {
  const { t } = useTranslation();
  const [first] = rows;
  if (first === undefined) return <Text c="dimmed">{t("regulator.aef.noRows")}</Text>;
  const fields = Object.keys(first);
  const shown = rows.slice(0, shownRows);
  return (
    <>
      {rows.length > shownRows && (
        <Text size="sm" c="dimmed">
          {t("regulator.aef.rowsShown", { shown: shownRows, count: rows.length })}
        </Text>
      )}
      <WideTable label={t(`regulator.aef.tables.${name}`)} minWidth={fields.length * 150} maxHeight={520}>
        <Table stickyHeader striped aria-label={t(`regulator.aef.tables.${name}`)} fz="xs">
          <Table.Thead>
            <Table.Tr>
              {fields.map((field) => (
                <Table.Th key={field}>{field}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of this format have no id
              <Table.Tr key={index}>
                {fields.map((field) => (
                  <Table.Td key={field} style={{ maxWidth: 280, overflowWrap: "anywhere" }}>
                    {row[field] ?? t("common.none")}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </>
  );
}
