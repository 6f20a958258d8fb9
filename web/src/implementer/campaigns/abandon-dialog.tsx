import { Alert, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { reasonProblem } from "./amendment.ts";
import { ReasonField } from "./reason-field.tsx";
import type { Campaign } from "./records.ts";

/** Gives up a campaign for ever, with a public reason. */
export function AbandonDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { t } = useTranslation();
  const { campaignId } = campaign;
  const form = useForm({
    initialValues: { reason: "", typed: "" },
    validate: {
      reason: (text) => {
        const problem = reasonProblem(text);
        return problem === undefined ? null : t(`acts.amend.${problem}`);
      },
    },
  });
  const abandon = useMutation({
    mutationFn: ({ reason }: typeof form.values) =>
      settled<unknown>(
        () =>
          hearth.post("/v1/campaigns/{campaignId}/abandonment", {
            path: { campaignId },
            body: { reason: reason.trim() },
          }),
        () => undefined,
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("acts.abandon.title", { id: campaignId })} onClose={onClose}>
      <Form
        form={form}
        work={abandon}
        submit={t("acts.abandon.submit")}
        color="red"
        canSubmit={form.values.typed.trim() === campaignId}
        onCancel={onClose}
      >
        <Text size="sm">{t("acts.abandon.lead")}</Text>
        {canDrawBeKnown(campaign) && (
          <Alert color="red">
            <Text size="sm">{t("acts.abandon.known")}</Text>
          </Alert>
        )}
        <ReasonField {...form.getInputProps("reason")} />
        <TextInput
          label={t("acts.abandon.type", { id: campaignId })}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps("typed")}
        />
      </Form>
    </Dialog>
  );
}

/** Whether the operator may know the households of the draw, so that giving it up names its account. */
function canDrawBeKnown({ draw, commit, drawParties }: Campaign): boolean {
  return draw !== undefined || commit.drawBlock !== null || drawParties.withheld.length > 0;
}
