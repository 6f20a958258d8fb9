import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { IndexRow } from "../../../../wire/src/index-rows.ts";
import { Day } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import type { Column } from "../../table/data-table.tsx";
import { IndexList } from "../index-list.tsx";
import { TraceLink } from "../trace-link.tsx";

const fields = [
  "campaignId",
  "status",
  "startDay",
  "endDay",
  "referenceClaims",
  "interventionClaims",
  "certificate.certificateId",
] as const;
type Campaign = IndexRow<"campaign", (typeof fields)[number]>;
const pathOf = ({ campaignId }: Campaign) => `/regulator/campaigns/${encodeURIComponent(campaignId)}`;

export function CampaignsPage() {
  const { t } = useTranslation();
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
      cell: ({ status }) => <StateBadge kind="campaign" state={status} />,
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
      <IndexList
        empty={t("regulator.campaigns.empty")}
        label={t("regulator.campaigns.title")}
        table="campaign"
        id="campaignId"
        kind="campaign"
        states={["committed", "drawn", "closed", "abandoned"]}
        firstSort={{ by: "index", direction: "desc" }}
        {...{ fields, columns, pathOf }}
      />
    </PageFrame>
  );
}
