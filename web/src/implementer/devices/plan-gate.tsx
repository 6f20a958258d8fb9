import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { useList } from "../../table/use-list.ts";

/** The chosen plan, and all plans of the implementer. */
export type Plans = { planId: string; plans: readonly Schemas["MonitoringPlan"][] };

const limit = 500;

/** Render a page for one monitoring plan of an implementer; the newest unless another one is chosen. */
export function PlanGate({ children }: { children: (plans: Plans) => ReactNode }) {
  return (
    <ParticipantGate kind="implementer">
      {(did) => <PlanSelect implementerDid={did}>{children}</PlanSelect>}
    </ParticipantGate>
  );
}

type PlanSelectProps = { implementerDid: string; children: (plans: Plans) => ReactNode };

function PlanSelect({ implementerDid, children }: PlanSelectProps) {
  const { t } = useTranslation();
  const list = useList({ filters: { plan: { kind: "text", label: t("devices.plan") } } });
  const { data, error, refetch } = useQuery({
    queryKey: ["implementer", "plans", implementerDid],
    queryFn: ({ signal }) => hearth.get("/v1/monitoring-plans", { query: { implementerDid, limit }, signal }),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const plans = data.items;
  const chosen = plans.find(({ planId }) => planId === list.values.plan) ?? plans.at(-1);
  if (chosen === undefined) return <EmptyNotice text={t("devices.noOwnPlan")} />;
  return (
    <>
      <Select
        label={t("devices.plan")}
        data={plans.map(({ planId }) => planId)}
        value={chosen.planId}
        onChange={(planId) => list.setValue("plan", planId ?? "")}
        allowDeselect={false}
        searchable
        maw={360}
      />
      {children({ planId: chosen.planId, plans })}
    </>
  );
}
