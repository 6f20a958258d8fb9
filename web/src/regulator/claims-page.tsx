import { useTranslation } from "react-i18next";
import { fromMicro } from "../../../wire/src/exact.ts";
import type { IndexRow } from "../../../wire/src/index-rows.ts";
import { useDecisionColumn } from "../decisions/decision-column.tsx";
import { Amount } from "../show/amount.tsx";
import { Moment, timeText } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StateBadge, useStateWord } from "../show/state-badge.tsx";
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
  const word = useStateWord("claim");
  const decide = useDecisionColumn("claim", ({ publicId, status }: Claim) => ({ id: publicId, state: status }));
  const header = (key: "id" | "status" | "supplier" | "worth" | "paid" | "filed") => t(`regulator.column.${key}`);
  return [
    {
      key: "id",
      header: header("id"),
      width: "17rem",
      text: ({ publicId }) => publicId,
      cell: ({ publicId }) => <TraceLink id={publicId} />,
    },
    {
      key: "status",
      header: header("status"),
      width: "10rem",
      text: ({ status }) => word(status),
      cell: ({ status }) => <StateBadge kind="claim" state={status} />,
    },
    ...decide,
    {
      key: "supplier",
      header: header("supplier"),
      width: "14rem",
      wideOnly: true,
      text: (row) => row.supplier?.did,
      cell: (row) => row.supplier?.did,
    },
    {
      key: "worth",
      header: header("worth"),
      align: "end",
      sortBy: "carbonAmount",
      text: (row) => fromMicro(BigInt(row.carbonAmount)),
      cell: (row) => <Amount micro={row.carbonAmount} unit="carbon" />,
    },
    {
      key: "paid",
      header: header("paid"),
      align: "end",
      text: ({ payment }) => payment && `${fromMicro(BigInt(payment.amount))} ${payment.asset}`,
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
      text: (row) => timeText(row.filedAt),
      cell: (row) => <Moment at={row.filedAt} />,
    },
  ];
}
