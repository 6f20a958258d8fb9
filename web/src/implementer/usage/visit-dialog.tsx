import { Checkbox, FileInput, Text, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { keep, kept } from "../../session/vault.ts";
import { Dialog } from "../../show/dialog.tsx";
import { blankVisit, foundOf, visitOf, visitProblems } from "./usage-records.ts";

type DialogProps = { campaignId: string; position: Schemas["UsagePosition"]; onClose: () => void };

const surveyor = "implementer.usage.surveyor";

/** Records what a surveyor found at a drawn device, once. */
export function VisitDialog({ campaignId, position, onClose }: DialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    // One person visits many devices.
    initialValues: blankVisit(kept<string>(surveyor) ?? "", new Date()),
    validate: (draft) =>
      Object.fromEntries(
        Object.entries(visitProblems(draft)).map(([name, what]) => [name, t(`acts.usage.wrong.${what}`)]),
      ),
  });
  const record = useMutation({
    mutationFn: async (draft: typeof form.values) => {
      const body = await visitOf(position, draft);
      const path = { campaignId };
      return await sendOnce("implementer.usage.visit", JSON.stringify([campaignId, body]), (idempotencyKey) =>
        hearth.post("/v1/campaigns/{campaignId}/usage-survey/records", { path, body, idempotencyKey }),
      );
    },
    onSuccess: async (_, draft) => {
      keep(surveyor, draft.surveyorDid.trim());
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns", campaignId, "usage-survey"] });
      onClose();
    },
  });
  const { deviceSeen } = form.values;
  return (
    <Dialog title={t("acts.usage.visitTitle", { serial: position.serial })} onClose={onClose}>
      <Form form={form} work={record} submit={t("acts.usage.visitSubmit")} onCancel={onClose}>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {t("acts.usage.visitLead", { household: position.householdId ?? "" })}
        </Text>
        <Checkbox
          label={t("acts.usage.deviceSeen")}
          checked={deviceSeen}
          onChange={(event) => form.setValues(foundOf(event.currentTarget.checked, form.values))}
        />
        <Checkbox
          label={t("acts.usage.inUse")}
          disabled={!deviceSeen}
          {...form.getInputProps("inUse", { type: "checkbox" })}
        />
        <TextInput type="date" label={t("acts.usage.date")} required {...form.getInputProps("date")} />
        <TextInput
          label={t("acts.usage.surveyor")}
          description={t("acts.usage.surveyorHint")}
          spellCheck={false}
          autoComplete="off"
          required
          {...form.getInputProps("surveyorDid")}
        />
        <TextInput
          label={t("acts.usage.photo")}
          description={t("acts.usage.photoHint")}
          inputMode="url"
          spellCheck={false}
          required
          {...form.getInputProps("uri")}
        />
        <FileInput
          label={t("acts.usage.file")}
          description={t("acts.usage.fileHint")}
          placeholder={t("acts.signature.choose")}
          accept="image/*"
          clearable
          clearButtonProps={{ "aria-label": t("acts.usage.noFile") }}
          {...form.getInputProps("photo")}
        />
        <Textarea label={t("acts.usage.note")} maxLength={1000} autosize {...form.getInputProps("note")} />
      </Form>
    </Dialog>
  );
}
