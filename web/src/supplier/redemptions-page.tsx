import { Anchor, Group, VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { hearth } from "../api/client.ts";
import { ParticipantGate } from "../participants/participant-gate.tsx";
import { Amount } from "../show/amount.tsx";
import { Moment } from "../show/moment.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { StatusBadge } from "../show/status-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { FilteredList } from "../table/filtered-list.tsx";
import { useCursorRows } from "../table/use-cursor-rows.ts";
import { optionsOf, useList } from "../table/use-list.ts";
import type { Redemption } from "./records.ts";

const statuses = {
  pending_delivery: "pending",
  settled: "paid",
  under_review: "review",
  rejected: "rejected",
  disputed: "disputed",
  invalidated: "cancelled",
  reversed: "cancelled",
  lapsed: "cancelled",
} as const satisfies Record<Redemption["status"], string>;

/** The supplier's redemptions, with the deadline for each claim. */
export function RedemptionsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.supplier.redemptions")} lead={t("supplier.redemptions.lead")}>
      <ParticipantGate kind="supplier">{(did) => <Redemptions supplierDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Redemptions({ supplierDid }: { supplierDid: string }) {
  const { t } = useTranslation();
  const list = useList({
    filters: {
      status: {
        kind: "choice",
        label: t("supplier.column.status"),
        options: optionsOf(statuses, (value) => t(`supplier.redemptionStatus.${value}`)),
      },
    },
  });
  const { status } = list.values;
  const rows = useCursorRows({
    queryKey: ["supplier", "redemptions", supplierDid, status],
    page: (at, signal) => hearth.get("/v1/redemptions", { query: { supplierDid, status, ...at }, signal }),
  });
  return (
    <FilteredList
      list={list}
      label={t("nav.supplier.redemptions")}
      empty={t("supplier.redemptions.empty")}
      columns={useColumns()}
      rows={rows}
      rowKey={(row) => row.redemptionId}
    />
  );
}

function useColumns(): Column<Redemption>[] {
  const { t } = useTranslation();
  const claimLink = ({ redemptionId, status }: Redemption) =>
    status === "pending_delivery" ? (
      <Group gap="xs">
        <Anchor
          component={Link}
          to={`/supplier/claim/${encodeURIComponent(redemptionId)}`}
          size="sm"
          aria-label={`${t("supplier.redemptions.claim")} ${redemptionId}`}
        >
          {t("supplier.redemptions.claim")}
        </Anchor>
        <Anchor
          component={Link}
          to={`/regulator/trace/${encodeURIComponent(redemptionId)}`}
          size="sm"
          aria-label={`${t("supplier.redemptions.giveBack")} ${redemptionId}`}
        >
          {t("supplier.redemptions.giveBack")}
        </Anchor>
      </Group>
    ) : null;
  return [
    {
      key: "amount",
      header: t("supplier.column.amount"),
      cell: (row) => <Amount value={row.amount} />,
      align: "end",
      width: "6rem",
    },
    {
      key: "status",
      header: t("supplier.column.status"),
      width: "9rem",
      cell: ({ status }) => <StatusBadge status={statuses[status]} label={t(`supplier.redemptionStatus.${status}`)} />,
    },
    { key: "claim", header: t("supplier.column.claim"), cell: claimLink, width: "11rem" },
    { key: "product", header: t("supplier.column.product"), cell: (row) => row.productId, wideOnly: true },
    {
      key: "voucher",
      header: t("supplier.column.voucher"),
      cell: (row) => row.voucherId,
      width: "13rem",
      wideOnly: true,
    },
    {
      key: "at",
      header: t("supplier.column.redeemedAt"),
      cell: ({ redemptionId, redeemedAt }) => (
        <Anchor component={Link} to={`/supplier/receipt/${encodeURIComponent(redemptionId)}`} size="sm">
          <VisuallyHidden>{t("supplier.receipt.title")}</VisuallyHidden> <Moment at={redeemedAt} />
        </Anchor>
      ),
      width: "11rem",
    },
    {
      key: "consent",
      header: t("supplier.column.consent"),
      cell: ({ consent }) => t(`supplier.consentLevel.${consent}`),
      width: "9rem",
      wideOnly: true,
    },
    {
      key: "deadline",
      header: t("supplier.column.deadline"),
      cell: (row) => <Moment at={row.claimDeadline} />,
      width: "11rem",
    },
    {
      key: "id",
      header: t("supplier.column.redemption"),
      cell: (row) => row.redemptionId,
      width: "18rem",
      wideOnly: true,
    },
  ];
}
