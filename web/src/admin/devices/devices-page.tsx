import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { useList } from "../../table/use-list.ts";
import { RecordsPage } from "../records/records-page.tsx";
import { DeviceDialog } from "./device-dialogs.tsx";
import { DeviceTable } from "./device-table.tsx";

const limit = 500;

/** The installed devices of a monitoring plan: register and retire them. */
export function DevicesPage() {
  const { t } = useTranslation();
  const list = useList({ filters: { plan: { kind: "text", label: t("admin.plans.id") } } });
  const { data: plans } = useQuery({
    queryKey: ["admin", "plans", "all"],
    queryFn: ({ signal }) =>
      hearth.get("/v1/monitoring-plans", { query: { limit }, signal }).then(({ items }) => items),
  });
  const planId = list.values.plan ?? plans?.at(-1)?.planId;
  return (
    <RecordsPage
      title={t("nav.admin.devices")}
      lead={t("devices.lead")}
      add={t("devices.register")}
      dialog={(close) => <DeviceDialog planId={planId} plans={plans ?? []} onClose={close} />}
    >
      <Select
        label={t("devices.plan")}
        data={(plans ?? []).map((plan) => plan.planId)}
        value={planId ?? null}
        onChange={(chosen) => list.setValue("plan", chosen ?? "")}
        allowDeselect={false}
        searchable
        maw={360}
      />
      {planId === undefined ? (
        plans !== undefined && <EmptyNotice text={t("devices.noPlan")} />
      ) : (
        <DeviceTable planId={planId} label={t("nav.admin.devices")} />
      )}
    </RecordsPage>
  );
}
