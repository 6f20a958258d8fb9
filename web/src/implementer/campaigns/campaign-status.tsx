import { useTranslation } from "react-i18next";
import { StatusBadge } from "../../show/status-badge.tsx";
import type { CampaignSummary } from "./records.ts";

const colors = { committed: "pending", drawn: "ok", closed: "closed", abandoned: "refused" } as const;

/** How far a campaign is. */
export function CampaignStatus({ status }: { status: CampaignSummary["status"] }) {
  const { t } = useTranslation();
  return <StatusBadge status={colors[status]} label={t(`implementer.campaigns.${status}`)} />;
}
