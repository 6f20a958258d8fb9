import { Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { useStateWord } from "../show/state-badge.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { type Sort, useIndexRows } from "../table/use-index-rows.ts";
import { TraceLink } from "./trace-link.tsx";

type Implementer = {
  did: string;
  debt: string;
  repaid: string;
  replacement: string;
  replaced: string;
};
const implementerFields = "did debt repaid replacement replaced";
const somethingOwed = { OR: ["debt", "repaid", "replacement", "replaced"].map((field) => ({ [`${field}_gt`]: "0" })) };

type Change = {
  sequence: string;
  kind: string;
  debt: string;
  replacement: string;
  changedAt: string;
  implementer: { did: string } | null;
  certificate: { certificateId: string } | null;
};
const changeFields = "sequence kind debt replacement changedAt implementer { did } certificate { certificateId }";

/** What each implementer owes for revoked certificates, and every change of it. */
export function DebtsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.debts.title")} lead={t("regulator.debts.lead")}>
      <Implementers />
      <Title order={2} size="h4">
        {t("regulator.debts.changes")}
      </Title>
      <Changes />
    </PageFrame>
  );
}

function Implementers() {
  const { t } = useTranslation();
  const [sort, setSort] = useState<Sort>({ by: "debt", direction: "desc" });
  const list = { list: "implementers", row: "implementer", fields: implementerFields };
  const rows = useIndexRows<Implementer>({ ...list, where: somethingOwed, sort });
  const carbon = (key: "debt" | "repaid" | "replacement" | "replaced", width: string): Column<Implementer> => ({
    key,
    header: t(`regulator.debts.${key}`),
    width,
    align: "end",
    sortBy: key,
    cell: (row) => <Amount micro={row[key]} />,
  });
  const columns: Column<Implementer>[] = [
    { key: "implementer", header: t("regulator.column.implementer"), width: "12rem", cell: ({ did }) => did },
    carbon("debt", "7.5rem"),
    carbon("repaid", "8rem"),
    carbon("replacement", "9rem"),
    carbon("replaced", "10rem"),
  ];
  return (
    <DataTable
      label={t("regulator.debts.title")}
      empty={t("regulator.debts.empty")}
      {...{ columns, rows, sort, onSort: setSort }}
      rowKey={({ did }) => did}
    />
  );
}

function Changes() {
  const { t } = useTranslation();
  const word = useStateWord("implementerDebt");
  const [sort, setSort] = useState<Sort>({ by: "sequence", direction: "desc" });
  const rows = useIndexRows<Change>({ list: "implementerDebts", row: "implementerDebt", fields: changeFields, sort });
  const columns: Column<Change>[] = [
    {
      key: "time",
      header: t("regulator.column.time"),
      width: "9rem",
      sortBy: "sequence",
      cell: (row) => <Moment at={row.changedAt} />,
    },
    {
      key: "implementer",
      header: t("regulator.column.implementer"),
      width: "9rem",
      wideOnly: true,
      cell: (row) => row.implementer?.did,
    },
    { key: "kind", header: t("regulator.debts.kind"), width: "8.5rem", cell: ({ kind }) => word(kind) },
    {
      key: "certificate",
      header: t("regulator.column.certificate"),
      width: "8.5rem",
      cell: ({ certificate }) => certificate && <TraceLink id={certificate.certificateId} />,
    },
    {
      key: "debt",
      header: t("regulator.debts.debt"),
      width: "6.5rem",
      align: "end",
      cell: (row) => <Amount micro={row.debt} />,
    },
    {
      key: "replacement",
      header: t("regulator.debts.replacement"),
      width: "8rem",
      align: "end",
      cell: (row) => <Amount micro={row.replacement} />,
    },
  ];
  return (
    <DataTable
      label={t("regulator.debts.changes")}
      empty={t("regulator.debts.noChanges")}
      {...{ columns, rows, sort, onSort: setSort }}
      rowKey={({ sequence }) => sequence}
    />
  );
}
