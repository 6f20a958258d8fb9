import { Button, Select, Textarea } from "@mantine/core";
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
type Values = { reason: (typeof dropReasons)[number]; note: string };

/** Replace a household that cannot be measured by the next one in the draw. */
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
  const form = useForm<Values>({ initialValues: { reason: "absent", note: "" } });
  const replace = useMutation({
    mutationFn: ({ reason, note }: typeof form.values) => {
      const body = { ...who, reason, ...(note.trim() === "" ? {} : { note }) };
      return settled(
        () => hearth.post("/v1/campaigns/{campaignId}/replacements", { path: { campaignId }, body }),
        () => undefined,
      );
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onDone();
    },
  });
  return (
    <Form form={form} work={replace} submit={t("implementer.replace.submit")}>
      <Select
        label={t("implementer.replace.reason")}
        description={t("implementer.replace.reasonHint")}
        data={dropReasons.map((value) => ({ value, label: t(`implementer.reason.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps("reason")}
      />
      <Textarea
        label={t("implementer.replace.note")}
        description={t("implementer.replace.noteHint")}
        {...form.getInputProps("note")}
      />
    </Form>
  );
}
