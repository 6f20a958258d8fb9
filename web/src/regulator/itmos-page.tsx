import { Tabs } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge } from "../show/state-badge.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { useIndexRows } from "../table/use-index-rows.ts";
import { FilteredList } from "./filtered-list.tsx";
import { TraceLink } from "./trace-link.tsx";

export function ItmosPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.itmos.title")} lead={t("regulator.itmos.lead")}>
      <Tabs defaultValue="blocks" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="blocks">{t("regulator.itmos.blocks")}</Tabs.Tab>
          <Tabs.Tab value="conversions">{t("regulator.itmos.conversions")}</Tabs.Tab>
          <Tabs.Tab value="authorizations">{t("regulator.itmos.authorizations")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="blocks">
          <Blocks />
        </Tabs.Panel>
        <Tabs.Panel value="conversions">
          <Conversions />
        </Tabs.Panel>
        <Tabs.Panel value="authorizations">
          <Authorizations />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}

type Block = {
  publicId: string;
  uniqueId: string;
  status: string;
  party: string | null;
  quantity: string;
  vintage: number;
  createdAt: string;
};
const blockStates = ["held", "used-for-ndc", "used-for-oimp", "omge", "share-of-proceeds", "cancelled"];

function Blocks() {
  const { t } = useTranslation();
  const columns: Column<Block>[] = [
    {
      key: "id",
      header: t("regulator.column.id"),
      width: "24rem",
      cell: ({ uniqueId }) => <TraceLink id={uniqueId} />,
    },
    {
      key: "status",
      header: t("regulator.column.status"),
      width: "12rem",
      cell: ({ status }) => <StateBadge kind="itmoBlock" state={status} />,
    },
    {
      key: "party",
      header: t("regulator.column.party"),
      width: "5rem",
      cell: ({ party }) => party ?? t("common.none"),
    },
    {
      key: "tonnes",
      header: t("regulator.column.tonnes"),
      width: "6rem",
      align: "end",
      sortBy: "quantity",
      cell: (row) => row.quantity,
    },
    {
      key: "vintage",
      header: t("regulator.column.vintage"),
      width: "6rem",
      sortBy: "vintage",
      cell: (row) => row.vintage,
    },
    {
      key: "time",
      header: t("regulator.column.registered"),
      width: "12rem",
      cell: (row) => <Moment at={row.createdAt} />,
    },
  ];
  return (
    <FilteredList<Block>
      label={t("regulator.itmos.blocks")}
      empty={t("regulator.itmos.noBlocks")}
      list="itmoBlocks"
      row="itmoBlock"
      fields="publicId uniqueId status party quantity vintage createdAt"
      id="uniqueId"
      kind="itmoBlock"
      states={blockStates}
      firstSort={{ by: "id", direction: "asc" }}
      columns={columns}
    />
  );
}

type Conversion = {
  publicId: string;
  status: string;
  amount: string;
  quantity: string;
  registryId: string | null;
  firstId: string | null;
  lastId: string | null;
  requestedAt: string;
  implementer: { did: string } | null;
};

function Conversions() {
  const { t } = useTranslation();
  const columns: Column<Conversion>[] = [
    { key: "id", header: t("regulator.column.id"), cell: ({ publicId }) => <TraceLink id={publicId} /> },
    {
      key: "status",
      header: t("regulator.column.status"),
      width: "8rem",
      cell: ({ status }) => <StateBadge kind="conversion" state={status} />,
    },
    { key: "carbon", header: t("regulator.column.carbon"), align: "end", cell: (row) => <Amount micro={row.amount} /> },
    { key: "tonnes", header: t("regulator.column.tonnes"), width: "6rem", align: "end", cell: (row) => row.quantity },
    {
      key: "serials",
      header: t("regulator.column.serials"),
      width: "20rem",
      cell: ({ registryId, firstId, lastId }) =>
        firstId === null ? t("common.none") : `${registryId} ${firstId} – ${lastId}`,
    },
    {
      key: "implementer",
      header: t("regulator.column.implementer"),
      width: "14rem",
      wideOnly: true,
      cell: (row) => row.implementer?.did,
    },
    { key: "time", header: t("regulator.column.time"), width: "12rem", cell: (row) => <Moment at={row.requestedAt} /> },
  ];
  return (
    <FilteredList<Conversion>
      label={t("regulator.itmos.conversions")}
      empty={t("regulator.itmos.noConversions")}
      list="itmoConversions"
      row="itmoConversion"
      fields="publicId status amount quantity registryId firstId lastId requestedAt implementer { did }"
      id="publicId"
      kind="conversion"
      states={["requested", "finalised", "reverted"]}
      firstSort={{ by: "index", direction: "desc" }}
      columns={columns}
    />
  );
}

type Authorization = {
  authorizationId: string;
  quantity: string;
  committed: string;
  issued: string;
  firstYear: number;
  lastYear: number;
  approach: { cooperativeApproachId: string } | null;
};

function Authorizations() {
  const { t } = useTranslation();
  const rows = useIndexRows<Authorization>({
    list: "itmoAuthorizations",
    row: "itmoAuthorization",
    fields: "authorizationId quantity committed issued firstYear lastYear approach { cooperativeApproachId }",
    sort: { by: "index", direction: "desc" },
  });
  const tonnes = (key: "quantity" | "committed" | "issued"): Column<Authorization> => ({
    key,
    header: t(`regulator.column.${key}`),
    width: "7rem",
    align: "end",
    cell: (row) => row[key],
  });
  const columns: Column<Authorization>[] = [
    { key: "id", header: t("regulator.column.authorization"), width: "14rem", cell: (row) => row.authorizationId },
    {
      key: "approach",
      header: t("regulator.column.approach"),
      width: "7rem",
      cell: (row) => row.approach?.cooperativeApproachId,
    },
    tonnes("quantity"),
    tonnes("committed"),
    tonnes("issued"),
    {
      key: "years",
      header: t("regulator.column.vintage"),
      width: "8rem",
      cell: ({ firstYear, lastYear }) => (lastYear === 0 ? t("common.all") : `${firstYear} – ${lastYear}`),
    },
  ];
  return (
    <DataTable
      label={t("regulator.itmos.authorizations")}
      empty={t("regulator.itmos.noAuthorizations")}
      {...{ columns, rows }}
      rowKey={({ authorizationId }) => authorizationId}
    />
  );
}
