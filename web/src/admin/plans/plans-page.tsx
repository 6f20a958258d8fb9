import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Day } from "../../show/moment.tsx";
import { type Column, DataTable } from "../../table/data-table.tsx";
import { useCursorRows } from "../../table/use-cursor-rows.ts";
import { RecordsPage } from "../records/records-page.tsx";
import { PlanDialog } from "./plan-dialog.tsx";

type Plan = Schemas["MonitoringPlan"];

/** Register monitoring plans, and list them. */
export function PlansPage() {
  const { t } = useTranslation();
  return (
    <RecordsPage
      title={t("nav.admin.plans")}
      lead={t("admin.plans.lead")}
      add={t("admin.plans.register")}
      dialog={(close) => <PlanDialog onClose={close} />}
    >
      <Plans />
    </RecordsPage>
  );
}

function Plans() {
  const { t } = useTranslation();
  const rows = useCursorRows<Plan>({
    queryKey: ["admin", "plans"],
    page: (at, signal) => hearth.get("/v1/monitoring-plans", { query: at, signal }),
  });
  const columns: Column<Plan>[] = [
    { key: "id", header: t("admin.plans.id"), cell: ({ planId }) => planId, width: "10rem" },
    { key: "implementer", header: t("people.implementer"), cell: (row) => row.implementerDid, width: "13rem" },
    {
      key: "from",
      header: t("admin.plans.from"),
      cell: ({ period }) => period && <Day at={period.startDate} />,
      width: "8rem",
    },
    {
      key: "to",
      header: t("admin.plans.to"),
      cell: ({ period }) => period && <Day at={period.endDate} />,
      width: "8rem",
    },
    {
      key: "products",
      header: t("nav.admin.products"),
      cell: ({ products }) => products.join(", ") || t("admin.plans.everyProduct"),
      width: "12rem",
      wideOnly: true,
    },
    {
      key: "cap",
      header: t("admin.plans.cap"),
      cell: ({ unconsentedCap }) => t("common.unit.carbon", { amount: unconsentedCap }),
      width: "10rem",
      align: "end",
      wideOnly: true,
    },
  ];
  return (
    <DataTable
      label={t("nav.admin.plans")}
      empty={t("admin.plans.empty")}
      columns={columns}
      rows={rows}
      rowKey={({ planId }) => planId}
    />
  );
}
