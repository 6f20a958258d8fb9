import { Select, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { dropReasons } from "../campaigns/records.ts";
import { blankMissing, missingOf, missingProblems } from "./usage-records.ts";

type DialogProps = { campaignId: string; position: Schemas["UsagePosition"]; onClose: () => void };

/** Ends a drawn device without a visit: it counts as not in use. */
export function MissingDialog({ campaignId, position, onClose }: DialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: blankMissing,
    validate: (draft) =>
      Object.fromEntries(
        Object.entries(missingProblems(draft)).map(([name, what]) => [name, t(`acts.usage.wrong.${what}`)]),
      ),
  });
  const mark = useMutation({
    mutationFn: async (draft: typeof form.values) => {
      const body = missingOf(position, draft);
      const path = { campaignId };
      return await sendOnce("implementer.usage.missing", JSON.stringify([campaignId, body]), (idempotencyKey) =>
        hearth.post("/v1/campaigns/{campaignId}/usage-survey/missing", { path, body, idempotencyKey }),
      );
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns", campaignId, "usage-survey"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("acts.usage.missingTitle", { serial: position.serial })} onClose={onClose}>
      <Form form={form} work={mark} submit={t("acts.usage.missingSubmit")} color="red" onCancel={onClose}>
        <Text size="sm">{t("acts.usage.missingLead")}</Text>
        <Select
          label={t("acts.usage.reason")}
          data={dropReasons.map((value) => ({ value, label: t(`implementer.reason.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps("reason")}
        />
        <TextInput
          label={t("acts.usage.photo")}
          description={t("acts.usage.otherHint")}
          inputMode="url"
          spellCheck={false}
          {...form.getInputProps("uri")}
        />
        <Textarea label={t("acts.usage.note")} maxLength={1000} autosize {...form.getInputProps("note")} />
      </Form>
    </Dialog>
  );
}
