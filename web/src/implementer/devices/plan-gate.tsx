import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { PlanSelect, useChosenPlan } from "../../plans/plan-select.tsx";
import { usePlans } from "../../plans/use-plans.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";

/** The chosen plan, and all plans of the implementer. */
export type Plans = { planId: string; plans: readonly Schemas["MonitoringPlan"][] };
type PlanGateProps = { children: (plans: Plans) => ReactNode };

/** Render a page for one monitoring plan of an implementer; the newest unless another one is chosen. */
export function PlanGate({ children }: PlanGateProps) {
  return (
    <ParticipantGate kind="implementer">
      {(did) => <OfImplementer implementerDid={did}>{children}</OfImplementer>}
    </ParticipantGate>
  );
}

function OfImplementer({ implementerDid, children }: PlanGateProps & { implementerDid: string }) {
  const { t } = useTranslation();
  const { data: plans, error, refetch } = usePlans(implementerDid);
  const { planId, choose } = useChosenPlan(plans);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (plans === undefined) return <Loading />;
  if (planId === undefined) return <EmptyNotice text={t("devices.noOwnPlan")} />;
  return (
    <>
      <PlanSelect plans={plans} planId={planId} onPlan={choose} />
      {children({ planId, plans })}
    </>
  );
}
