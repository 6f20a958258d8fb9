import { useTranslation } from "react-i18next";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { Amount } from "../show/amount.tsx";
import { Day } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const fields = [
  "publicId",
  "status",
  "value",
  "remaining",
  "batchId",
  "expiryDay",
  "certificate.certificateId",
] as const;
type Voucher = IndexRow<"voucher", (typeof fields)[number]>;
const states = ["active", "exhausted", "expired", "suspended", "cancelled", "swept", "revoked"];

export function VouchersPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.vouchers.title")} lead={t("regulator.vouchers.lead")}>
      <IndexList
        empty={t("regulator.vouchers.empty")}
        label={t("regulator.vouchers.title")}
        table="voucher"
        id="publicId"
        firstSort={{ by: "id", direction: "asc" }}
        columns={useColumns()}
        kind="voucher"
        {...{ fields, states }}
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
    {
      key: "status",
      header: header("status"),
      width: "8rem",
      cell: ({ status }) => <StateBadge kind="voucher" state={status} />,
    },
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
