import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { PayoutList, payoutsKey } from "../../payouts/payout-list.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { Partners } from "./partners.tsx";
import { Rates } from "./rates.tsx";

/** Partners, exchange rates and all payouts. A failed one can be tried again. */
export function PayoutsPage() {
  const { t } = useTranslation();
  const retry = useMutation({
    mutationFn: (id: string) => hearth.post("/v1/payouts/{id}/attempts", { path: { id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: payoutsKey }),
  });
  return (
    <PageFrame title={t("nav.admin.payouts")} lead={t("payouts.adminLead")}>
      <Partners />
      <Rates />
      {retry.isError && <ErrorNotice error={retry.error} />}
      <PayoutList
        label={t("nav.admin.payouts")}
        action={({ id, status }) =>
          status === "failed" && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t("payouts.retry.label", { id })}
              onClick={() => retry.mutate(id)}
            >
              {t("payouts.retry.action")}
            </Button>
          )
        }
      />
    </PageFrame>
  );
}
