import { useTranslation } from "react-i18next";
import { PayoutList } from "../../payouts/payout-list.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { ComparePanel } from "./compare-panel.tsx";

/** All payouts, and their comparison with the chain and the partners. */
export function PayoutsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.regulator.payouts")} lead={t("payouts.regulatorLead")}>
      <ComparePanel />
      <PayoutList label={t("nav.regulator.payouts")} />
    </PageFrame>
  );
}
