import { useTranslation } from "react-i18next";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { PayoutList } from "../../payouts/payout-list.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { MobileAccount } from "./mobile-account.tsx";

/** The supplier's payouts to its mobile account, and that account. */
export function PayoutsPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.supplier.payouts")} lead={t("payouts.lead")}>
      <ParticipantGate kind="supplier">
        {(did) => (
          <>
            <MobileAccount key={did} supplierDid={did} />
            <PayoutList label={t("nav.supplier.payouts")} supplierDid={did} />
          </>
        )}
      </ParticipantGate>
    </PageFrame>
  );
}
