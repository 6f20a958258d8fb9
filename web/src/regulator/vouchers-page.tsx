import { useTranslation } from "react-i18next";
import { fromMicro } from "../../../wire/src/exact.ts";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { Amount } from "../show/amount.tsx";
import { Day, dateText } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
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
        linked={{
          household: { column: "householdIndex", label: t("regulator.filter.household") },
        }}
        kind="voucher"
        {...{ fields, states }}
      />
    </PageFrame>
  );
}

function useColumns(): Column<Voucher>[] {
  const { t } = useTranslation();
  const word = useStateWord("voucher");
  const header = (key: "id" | "status" | "value" | "remaining" | "certificate" | "batch" | "expires") =>
    t(`regulator.column.${key}`);
  return [
    {
      key: "id",
      header: header("id"),
      width: "13rem",
      sortBy: "id",
      text: ({ publicId }) => publicId,
      cell: ({ publicId }) => <TraceLink id={publicId} />,
    },
    {
      key: "status",
      header: header("status"),
      width: "10rem",
      text: ({ status }) => word(status),
      cell: ({ status }) => <StateBadge kind="voucher" state={status} />,
    },
    {
      key: "value",
      header: header("value"),
      align: "end",
      sortBy: "value",
      text: (row) => fromMicro(BigInt(row.value)),
      cell: (row) => <Amount micro={row.value} unit="carbon" />,
    },
    {
      key: "remaining",
      header: header("remaining"),
      align: "end",
      sortBy: "remaining",
      text: (row) => fromMicro(BigInt(row.remaining)),
      cell: (row) => <Amount micro={row.remaining} unit="carbon" />,
    },
    {
      key: "certificate",
      header: header("certificate"),
      width: "12rem",
      text: (row) => row.certificate?.certificateId,
      cell: (row) => row.certificate && <TraceLink id={row.certificate.certificateId} />,
    },
    {
      key: "batch",
      header: header("batch"),
      width: "11rem",
      wideOnly: true,
      text: (row) => row.batchId,
      cell: (row) => row.batchId,
    },
    {
      key: "expires",
      header: header("expires"),
      width: "9rem",
      sortBy: "expiryDay",
      text: (row) => dateText(row.expiryDay),
      cell: (row) => <Day at={row.expiryDay} />,
    },
  ];
}
