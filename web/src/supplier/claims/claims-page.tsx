import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { useAmountText } from "../../show/amount.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { FilteredList } from "../../table/filtered-list.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { optionsOf, useList } from "../../table/use-list.ts";
import type { Claim } from "../records.ts";

const statuses = {
  approved: "paid",
  flagged: "review",
  rejected: "rejected",
  disputed: "disputed",
  invalidated: "cancelled",
  lapsed: "cancelled",
} as const satisfies Record<Claim["status"], string>;
type Status = Claim["status"];

/** The supplier's claims with their payments. */
export function ClaimsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.supplier.claims")} lead={t("supplier.claims.lead")}>
      <ParticipantGate kind="supplier">{(did) => <Claims supplierDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Claims({ supplierDid }: { supplierDid: string }) {
  const { t } = useTranslation();
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("supplier.column.status"),
        options: optionsOf(statuses, (value) => t(`supplier.claimStatus.${value}`)),
      },
    },
  });
  const { status } = list.values;
  const rows = useCursorRows({
    queryKey: ["supplier", "claims", supplierDid, status],
    page: (at, signal) => hearth.get("/v1/claims", { query: { supplierDid, status, ...at }, signal }),
  });
  return (
    <FilteredList
      list={list}
      label={t("nav.supplier.claims")}
      empty={t("supplier.claims.empty")}
      columns={useColumns()}
      rows={rows}
      rowKey={(row) => row.id}
    />
  );
}

export function ClaimStatus({ status }: { status: Status }) {
  const { t } = useTranslation();
  return <StatusBadge status={statuses[status]} label={t(`supplier.claimStatus.${status}`)} />;
}

/** Return a function that describes a payment: stablecoin, or CARBON when the pool could not pay. */
export function usePaidText(): (settlement: Claim["settlement"]) => string {
  const { t } = useTranslation();
  const amountText = useAmountText();
  return (settlement) => {
    if (settlement === null) return t("supplier.claims.held");
    return amountText({ value: settlement.amount }, settlement.asset === "CARBON" ? "carbon" : "stablecoin");
  };
}

function useColumns(): Column<Claim>[] {
  const { t } = useTranslation();
  const paid = usePaidText();
  const amount = useAmountText();
  return [
    {
      key: "paid",
      header: t("supplier.column.paid"),
      cell: (row) => (
        <Text size="sm" fw={600}>
          {paid(row.settlement)}
        </Text>
      ),
      align: "end",
    },
    {
      key: "status",
      header: t("supplier.column.status"),
      cell: (row) => <ClaimStatus status={row.status} />,
      width: "8rem",
    },
    { key: "at", header: t("supplier.column.filedAt"), cell: (row) => <Moment at={row.filedAt} />, width: "11rem" },
    {
      key: "carbon",
      header: t("supplier.column.amount"),
      cell: (row) => amount({ value: row.carbonAmount }),
      align: "end",
      width: "7rem",
    },
    {
      key: "reason",
      header: t("supplier.column.reason"),
      cell: (row) => row.reason ?? row.settlement?.reason ?? "",
      wideOnly: true,
    },
    { key: "product", header: t("supplier.column.product"), cell: (row) => row.productId, wideOnly: true },
    { key: "id", header: t("supplier.column.claimId"), cell: (row) => row.id, width: "18rem", wideOnly: true },
  ];
}
