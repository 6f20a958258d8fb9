import { Title } from "@mantine/core";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { useList } from "../../table/use-list.ts";
import { FileImport } from "../operations/file-import.tsx";

type Household = Schemas["Household"];

/** Import households from a file, with progress and the errors of each row, and list the registered ones. */
export function HouseholdsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.households")} lead={t("households.lead")}>
      <FileImport
        name="households.import"
        label={t("households.import")}
        hint={t("households.fileHint")}
        columns="did,account,region,men,women,children,elderly,latitude,longitude"
        types={types}
        idColumn="did"
        send={(client, file) => client.post("/v1/households/import", file)}
        changes={["implementer", "households"]}
      />
      <Title order={2} size="h4">
        {t("households.registered")}
      </Title>
      <Households />
    </PageFrame>
  );
}

const types = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

function Households() {
  const { t } = useTranslation();
  const list = useList({ filters: { region: { kind: "text", label: t("households.region") } } });
  const { region } = list.values;
  const rows = useCursorRows({
    queryKey: ["implementer", "households", region],
    page: (at, signal) => hearth.get("/v1/households", { query: { region, ...at }, signal }),
    pageSize: 200,
  });
  const columns = useMemo<Column<Household>[]>(
    () => [
      { key: "did", header: t("households.did"), cell: (row) => row.did, width: "14rem" },
      {
        key: "region",
        header: t("households.region"),
        cell: (row) => row.region ?? t("common.none"),
        width: "8rem",
      },
      {
        key: "size",
        header: t("households.size"),
        cell: ({ householdSize: size }) =>
          size === null ? t("common.none") : Object.values(size).reduce((sum, count) => sum + count, 0),
        align: "end",
        width: "6rem",
      },
      {
        key: "at",
        header: t("households.at"),
        cell: (row) => <Moment at={row.registeredAt} />,
        wideOnly: true,
      },
      {
        key: "account",
        header: t("households.account"),
        cell: (row) => t(row.account === null ? "common.no" : "common.yes"),
        width: "8rem",
        wideOnly: true,
      },
    ],
    [t],
  );
  return (
    <FilteredList
      list={list}
      label={t("households.registered")}
      empty={t("households.empty")}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.did}
    />
  );
}
