import { useTranslation } from "react-i18next";
import { PlanSelect, useChosenPlan } from "../../plans/plan-select.tsx";
import { usePlans } from "../../plans/use-plans.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { RecordsPage } from "../records/records-page.tsx";
import { DeviceDialog } from "./device-dialogs.tsx";
import { DeviceTable } from "./device-table.tsx";

/** The installed devices of a monitoring plan: register and retire them. */
export function DevicesPage() {
  const { t } = useTranslation();
  const { data: plans } = usePlans();
  const { planId, choose } = useChosenPlan(plans);
  return (
    <RecordsPage
      title={t("nav.admin.devices")}
      lead={t("devices.lead")}
      add={t("devices.register")}
      dialog={(close) => <DeviceDialog planId={planId} plans={plans ?? []} onClose={close} />}
    >
      <PlanSelect plans={plans ?? []} planId={planId} onPlan={choose} />
      {planId === undefined ? (
        plans !== undefined && <EmptyNotice text={t("devices.noPlan")} />
      ) : (
        <DeviceTable planId={planId} label={t("nav.admin.devices")} />
      )}
    </RecordsPage>
  );
}
