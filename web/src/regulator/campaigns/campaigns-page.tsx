import { Anchor } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Day } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { type Sort, useIndexRows } from "../../table/use-index-rows.ts";
import { FilterBar, useFilters } from "../filters.tsx";
import { TraceLink } from "../trace-link.tsx";

type Campaign = {
  campaignId: string;
  status: "committed" | "drawn" | "closed";
  startDay: number;
  endDay: number;
  referenceClaims: number;
  interventionClaims: number;
  certificate: { certificateId: string } | null;
};
const fields = "campaignId status startDay endDay referenceClaims interventionClaims certificate { certificateId }";
const pathOf = ({ campaignId }: Campaign) => `/regulator/campaigns/${encodeURIComponent(campaignId)}`;

export function CampaignsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { filters, settled, setFilters, clear } = useFilters();
  const [sort, setSort] = useState<Sort>({ by: "index", direction: "desc" });
  const where = { campaignId_contains: settled.id, status: settled.status ?? undefined };
  const rows = useIndexRows<Campaign>({ list: "campaigns", row: "campaign", fields, where, sort });
  const columns: Column<Campaign>[] = [
    {
      key: "id",
      header: t("regulator.column.id"),
      width: "13rem",
      sortBy: "campaignId",
      cell: (row) => (
        <Anchor component={Link} to={pathOf(row)} size="sm" ff="monospace">
          {row.campaignId}
        </Anchor>
      ),
    },
    {
      key: "status",
      header: t("regulator.column.status"),
      width: "8rem",
      cell: ({ status }) => <StatusBadge status={status} label={t(`regulator.campaigns.status.${status}`)} />,
    },
    {
      key: "period",
      header: t("regulator.column.period"),
      width: "15rem",
      sortBy: "startDay",
      cell: ({ startDay, endDay }) => (
        <>
          <Day at={startDay} /> – <Day at={endDay} />
        </>
      ),
    },
    {
      key: "claims",
      header: t("regulator.column.claims"),
      width: "7rem",
      align: "end",
      cell: ({ referenceClaims, interventionClaims }) => referenceClaims + interventionClaims,
    },
    {
      key: "certificate",
      header: t("regulator.column.certificate"),
      width: "13rem",
      cell: ({ certificate }) =>
        certificate === null ? t("common.none") : <TraceLink id={certificate.certificateId} />,
    },
  ];
  return (
    <PageFrame title={t("regulator.campaigns.title")} lead={t("regulator.campaigns.lead")}>
      <FilterBar filters={filters} onChange={setFilters} statuses={["committed", "drawn", "closed"]} />
      <DataTable
        label={t("regulator.campaigns.title")}
        {...{ columns, rows, sort, onSort: setSort, onClearFilters: clear }}
        rowKey={({ campaignId }) => campaignId}
        onOpen={(row) => navigate({ to: pathOf(row) })}
      />
    </PageFrame>
  );
}
