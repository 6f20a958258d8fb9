import { useTranslation } from "react-i18next";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge } from "../show/state-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { FilteredList } from "./filtered-list.tsx";
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
const states = ["approved", "flagged", "rejected", "disputed", "invalidated"];

export function ClaimsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("regulator.claims.title")} lead={t("regulator.claims.lead")}>
      <FilteredList<Claim>
        empty={t("regulator.claims.empty")}
        label={t("regulator.claims.title")}
        list="claims"
        row="claim"
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
