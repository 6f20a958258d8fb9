import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { PlanView, usePlan } from "./plan-view.tsx";

/** Publish after the person has seen to which server, and what. */
export function PublishDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { data: plan, isSuccess, isFetching } = usePlan();
  const publish = useMutation({
    mutationFn: () => hearth.post("/v1/cad-trust/publications"),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["regulator", "cad-trust"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("registry.publish.title")} size="xl" onClose={onClose}>
      <ConfirmForm
        work={publish}
        submit={t("registry.publish.submit")}
        canSubmit={isSuccess && !isFetching && plan.problems.length === 0}
        onCancel={onClose}
      >
        {plan !== undefined && (
          <Text>
            {t("registry.publish.server")} <span translate="no">{plan.server}</span>
          </Text>
        )}
        <Text>{t("registry.publish.confirm")}</Text>
        <PlanView />
      </ConfirmForm>
    </Dialog>
  );
}
