import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StatusBadge } from "../show/status-badge.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { type Sort, useIndexRows } from "../table/use-index-rows.ts";
import { FilterBar, useFilters } from "./filters.tsx";
import { TraceLink } from "./trace-link.tsx";

type Claim = {
  publicId: string;
  status: string;
  carbonAmount: string;
  filedAt: string;
  supplier: { did: string } | null;
  payment: { asset: "stablecoin" | "CARBON"; amount: string } | null;
};
const fields = "publicId status carbonAmount filedAt supplier { did } payment { asset amount }";
const statuses = ["approved", "flagged", "rejected", "disputed", "invalidated"];

export function ClaimsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { filters, settled, setFilters, clear } = useFilters();
  const [sort, setSort] = useState<Sort>({ by: "sequence", direction: "desc" });
  const where = { publicId_contains: settled.id, status: settled.status ?? undefined };
  const rows = useIndexRows<Claim>({ list: "claims", row: "claim", fields, where, sort });
  return (
    <PageFrame title={t("regulator.claims.title")} lead={t("regulator.claims.lead")}>
      <FilterBar filters={filters} onChange={setFilters} statuses={statuses} />
      <DataTable
        label={t("regulator.claims.title")}
        columns={useColumns()}
        rows={rows}
        rowKey={({ publicId }) => publicId}
        onOpen={({ publicId }) => navigate({ to: `/regulator/trace/${encodeURIComponent(publicId)}` })}
        sort={sort}
        onSort={setSort}
        onClearFilters={clear}
      />
    </PageFrame>
  );
}

function useColumns(): Column<Claim>[] {
  const { t } = useTranslation();
  const header = (key: "id" | "status" | "supplier" | "worth" | "paid" | "filed") => t(`regulator.column.${key}`);
  return [
    {
      key: "id",
      header: header("id"),
      width: "17rem",
      cell: ({ publicId }) => <TraceLink id={publicId} />,
    },
    { key: "status", header: header("status"), width: "7rem", cell: ({ status }) => <StatusBadge status={status} /> },
    { key: "supplier", header: header("supplier"), width: "14rem", wideOnly: true, cell: (row) => row.supplier?.did },
    {
      key: "worth",
      header: header("worth"),
      align: "end",
      sortBy: "carbonAmount",
      cell: (row) => <Amount micro={row.carbonAmount} unit="carbon" />,
    },
    {
      key: "paid",
      header: header("paid"),
      align: "end",
      cell: ({ payment }) =>
        payment === null ? (
          t("common.none")
        ) : (
          <Amount micro={payment.amount} unit={payment.asset === "CARBON" ? "carbon" : "stablecoin"} />
        ),
    },
    {
      key: "filed",
      header: header("filed"),
      width: "12rem",
      sortBy: "sequence",
      cell: (row) => <Moment at={row.filedAt} />,
    },
  ];
}
