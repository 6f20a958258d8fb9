import { Button, Radio, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { dropReasons } from "./records.ts";

type ReplaceDialogProps = { campaignId: string; group: CampaignGroup; householdId: string };
const outcomes = ["replacements", "missing"] as const;
type Values = {
  outcome: (typeof outcomes)[number];
  reason: (typeof dropReasons)[number];
  evidence: string;
  note: string;
};

/** A household that cannot be measured: take the next one in the draw, or mark it as missing. */
export function ReplaceDialog({ campaignId, group, householdId }: ReplaceDialogProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`${t("implementer.replace.open")} ${householdId}`}
        onClick={() => setOpen(true)}
      >
        {t("implementer.replace.open")}
      </Button>
      {isOpen && (
        <Dialog title={t("implementer.replace.title", { household: householdId })} onClose={() => setOpen(false)}>
          <ReplaceForm {...{ campaignId, group, householdId }} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function ReplaceForm({ campaignId, onDone, ...who }: ReplaceDialogProps & { onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm<Values>({
    initialValues: { outcome: "replacements", reason: "absent", evidence: "", note: "" },
    validate: {
      evidence: (text, { outcome, reason }) =>
        (outcome === "replacements" || reason === "other") && text.trim() === "" ? t("implementer.required") : null,
    },
  });
  const replace = useMutation({
    mutationFn: ({ outcome, reason, evidence, note }: typeof form.values) => {
      const given = Object.entries({ note, evidence: evidence.trim() }).filter(([, text]) => text.trim() !== "");
      const body = { ...who, reason, ...Object.fromEntries(given) };
      return settled(
        () => hearth.post(`/v1/campaigns/{campaignId}/${outcome}`, { path: { campaignId }, body }),
        () => undefined,
      );
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onDone();
    },
  });
  return (
    <Form form={form} work={replace} submit={t(`implementer.replace.submits.${form.values.outcome}`)}>
      <Radio.Group label={t("implementer.replace.outcome")} {...form.getInputProps("outcome")}>
        <Stack gap="xs" mt={4}>
          {outcomes.map((value) => (
            <Radio key={value} value={value} label={t(`implementer.replace.outcomes.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <Select
        label={t("implementer.replace.reason")}
        description={t("implementer.replace.reasonHint")}
        data={dropReasons.map((value) => ({ value, label: t(`implementer.reason.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps("reason")}
      />
      <TextInput
        label={t("implementer.replace.evidence")}
        description={t("implementer.replace.evidenceHint")}
        {...form.getInputProps("evidence")}
      />
      <Textarea
        label={t("implementer.replace.note")}
        description={t("implementer.replace.noteHint")}
        {...form.getInputProps("note")}
      />
    </Form>
  );
}
