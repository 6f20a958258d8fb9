import { useTranslation } from "react-i18next";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { IndexList } from "./index-list.tsx";
import { TraceLink } from "./trace-link.tsx";

const fields = [
  "publicId",
  "status",
  "carbonAmount",
  "filedAt",
  "supplier.did",
  "payment.asset",
  "payment.amount",
] as const;
type Claim = IndexRow<"claim", (typeof fields)[number]>;
const states = ["approved", "flagged", "rejected", "disputed", "invalidated"];

export function ClaimsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.claims.title")} lead={t("regulator.claims.lead")}>
      <IndexList
        empty={t("regulator.claims.empty")}
        label={t("regulator.claims.title")}
        table="claim"
        id="publicId"
        firstSort={{ by: "sequence", direction: "desc" }}
        columns={useColumns()}
        kind="claim"
        {...{ fields, states }}
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
    {
      key: "status",
      header: header("status"),
      width: "8rem",
      cell: ({ status }) => <StateBadge kind="claim" state={status} />,
    },
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
