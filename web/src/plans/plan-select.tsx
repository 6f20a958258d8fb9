import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../wire/src/routes.ts";
import { useList } from "../table/use-list.ts";

type Plan = Schemas["MonitoringPlan"];

/** The plan that a page is about, which its address names: the newest unless another one was chosen. */
export function useChosenPlan(plans: readonly Plan[] | undefined) {
  const { t } = useTranslation();
  const list = useList({ filters: { plan: { kind: "text", label: t("devices.plan") } } });
  const chosen = plans?.find(({ planId }) => planId === list.values.plan) ?? plans?.at(-1);
  return { planId: chosen?.planId, choose: (planId: string) => list.setValue("plan", planId) };
}

type PlanSelectProps = { plans: readonly Plan[]; planId: string | undefined; onPlan: (planId: string) => void };

/** Choose the plan that a page is about. */
export function PlanSelect({ plans, planId, onPlan }: PlanSelectProps) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("devices.plan")}
      data={plans.map((plan) => plan.planId)}
      value={planId ?? null}
      onChange={(chosen) => onPlan(chosen ?? "")}
      allowDeselect={false}
      searchable
      maw={360}
    />
  );
}
