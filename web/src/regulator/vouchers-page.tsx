import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "../show/amount.tsx";
import { Day } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StatusBadge } from "../show/status-badge.tsx";
import { type Column, DataTable } from "../table/data-table.tsx";
import { type Sort, useIndexRows } from "../table/use-index-rows.ts";
import { FilterBar, useFilters } from "./filters.tsx";
import { TraceLink } from "./trace-link.tsx";

type Voucher = {
  publicId: string;
  status: string;
  value: string;
  remaining: string;
  batchId: string;
  expiryDay: number;
  certificate: { certificateId: string } | null;
};
const fields = "publicId status value remaining batchId expiryDay certificate { certificateId }";
const statuses = ["active", "exhausted", "suspended", "cancelled", "swept"];

export function VouchersPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { filters, settled, setFilters, clear } = useFilters();
  const [sort, setSort] = useState<Sort>({ by: "id", direction: "asc" });
  const where = { publicId_contains: settled.id, status: settled.status ?? undefined };
  const rows = useIndexRows<Voucher>({ list: "vouchers", row: "voucher", fields, where, sort });
  return (
    <PageFrame title={t("regulator.vouchers.title")} lead={t("regulator.vouchers.lead")}>
      <FilterBar filters={filters} onChange={setFilters} statuses={statuses} />
      <DataTable
        label={t("regulator.vouchers.title")}
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

function useColumns(): Column<Voucher>[] {
  const { t } = useTranslation();
  const header = (key: "id" | "status" | "value" | "remaining" | "certificate" | "batch" | "expires") =>
    t(`regulator.column.${key}`);
  return [
    {
      key: "id",
      header: header("id"),
      width: "13rem",
      sortBy: "id",
      cell: ({ publicId }) => <TraceLink id={publicId} />,
    },
    { key: "status", header: header("status"), width: "7rem", cell: ({ status }) => <StatusBadge status={status} /> },
    {
      key: "value",
      header: header("value"),
      align: "end",
      sortBy: "value",
      cell: (row) => <Amount micro={row.value} unit="carbon" />,
    },
    {
      key: "remaining",
      header: header("remaining"),
      align: "end",
      sortBy: "remaining",
      cell: (row) => <Amount micro={row.remaining} unit="carbon" />,
    },
    {
      key: "certificate",
      header: header("certificate"),
      width: "12rem",
      cell: (row) => row.certificate && <TraceLink id={row.certificate.certificateId} />,
    },
    { key: "batch", header: header("batch"), width: "11rem", wideOnly: true, cell: (row) => row.batchId },
    {
      key: "expires",
      header: header("expires"),
      width: "9rem",
      sortBy: "expiryDay",
      cell: (row) => <Day at={row.expiryDay} />,
    },
  ];
}
