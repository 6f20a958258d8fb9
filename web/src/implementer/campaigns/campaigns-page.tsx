import { Anchor, Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Day } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { CampaignStatus } from "./campaign-status.tsx";
import type { CampaignSummary } from "./records.ts";

/** The campaigns that the key can read. */
export function CampaignsPage() {
  const { t } = useTranslation();
  const rows = useCursorRows({
    queryKey: ["implementer", "campaigns"],
    page: (at, signal) => hearth.get("/v1/campaigns", { query: at, signal }),
  });
  return (
    <PageFrame
      title={t("nav.implementer.campaigns")}
      lead={t("implementer.campaigns.lead")}
      actions={
        <Button component={Link} to="/implementer/new-campaign">
          {t("implementer.campaigns.create")}
        </Button>
      }
    >
      <DataTable
        label={t("nav.implementer.campaigns")}
        empty={t("implementer.campaigns.empty")}
        columns={useColumns()}
        rows={rows}
        rowKey={(row) => row.campaignId}
      />
    </PageFrame>
  );
}

function useColumns(): Column<CampaignSummary>[] {
  const { t } = useTranslation();
  return [
    {
      key: "id",
      header: t("implementer.campaigns.id"),
      width: "11rem",
      cell: ({ campaignId }) => (
        <Anchor component={Link} to={`/implementer/campaigns/${encodeURIComponent(campaignId)}`} size="sm">
          {campaignId}
        </Anchor>
      ),
    },
    {
      key: "status",
      header: t("implementer.campaigns.state"),
      width: "8rem",
      cell: ({ status }) => <CampaignStatus status={status} />,
    },
    {
      key: "claims",
      header: t("implementer.campaigns.measured"),
      width: "9rem",
      align: "end",
      cell: ({ groups, sampleSize }) =>
        `${groups.reference.claims} + ${groups.intervention.claims} / ${2 * sampleSize}`,
    },
    {
      key: "period",
      header: t("implementer.campaigns.period"),
      width: "14rem",
      cell: ({ testPeriod }) => (
        <>
          <Day at={testPeriod.startDate} /> – <Day at={testPeriod.endDate} />
        </>
      ),
    },
    { key: "plan", header: t("implementer.campaigns.plan"), cell: (row) => row.planId, wideOnly: true },
  ];
}
