import { NumberInput, Select, SimpleGrid, TagsInput, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { logConventions } from "../../../../wire/src/kpt-rules.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { type AmendmentDraft, amendmentOf, amendmentProblems, blankAmendment, reasonProblem } from "./amendment.ts";
import { unreadableTerms } from "./emissions-terms.ts";
import { ReasonField } from "./reason-field.tsx";
import type { Campaign } from "./records.ts";
import { SamplingFields } from "./sampling-fields.tsx";
import { TermsFields } from "./terms-fields.tsx";

/** Replaces terms of a campaign before its draw: a new version on chain, with a public reason. */
export function AmendDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { t } = useTranslation();
  const { campaignId } = campaign;
  const form = useForm<AmendmentDraft>({
    initialValues: blankAmendment(campaign),
    validate: (draft) => {
      const problem = reasonProblem(draft.reason);
      const wrong = Object.entries(amendmentProblems(campaign, draft));
      const errors = wrong.map(([name, what]) => [name, t(`acts.amend.${what}`)]);
      return Object.fromEntries(problem === undefined ? errors : [...errors, ["reason", t(`acts.amend.${problem}`)]]);
    },
  });
  const amend = useMutation({
    mutationFn: (draft: AmendmentDraft) =>
      settled<unknown>(
        () =>
          hearth.post("/v1/campaigns/{campaignId}/amendments", {
            path: { campaignId },
            body: amendmentOf(campaign, draft),
          }),
        () => undefined,
      ),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onClose();
    },
  });
  const { sampling, emissions } = form.values;
  return (
    <Dialog title={t("acts.amend.title", { id: campaignId })} size="xl" onClose={onClose}>
      <Form form={form} work={amend} submit={t("acts.amend.submit")} onCancel={onClose}>
        <Text size="sm">{t("acts.amend.lead")}</Text>
        <ReasonField {...form.getInputProps("reason")} />
        <SamplingFields
          draft={sampling}
          isDesignFixed
          onChange={(part) => form.setFieldValue("sampling", { ...sampling, ...part })}
        />
        <Wrong text={form.errors.sampling} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label={t("implementer.newCampaign.logConvention")}
            data={logConventions.map((value) => ({
              value,
              label: t(`implementer.newCampaign.logConventions.${value}`),
            }))}
            allowDeselect={false}
            {...form.getInputProps("logConvention")}
          />
          <NumberInput
            label={t("implementer.newCampaign.days")}
            min={3}
            max={366}
            allowDecimal={false}
            {...form.getInputProps("days")}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput label={t("implementer.kpt.season")} {...form.getInputProps("season")} />
          <TagsInput label={t("implementer.kpt.cultural")} {...form.getInputProps("culturalEvents")} />
          <TagsInput label={t("implementer.kpt.occupational")} {...form.getInputProps("occupationalFactors")} />
        </SimpleGrid>
        <Title order={3} size="h5">
          {t("implementer.terms.title")}
        </Title>
        <TermsFields
          draft={emissions}
          unreadable={unreadableTerms(emissions)}
          onChange={(part) => form.setFieldValue("emissions", { ...emissions, ...part })}
        />
        <Wrong text={form.errors.emissions} />
      </Form>
    </Dialog>
  );
}

/** What is wrong with several fields together. */
function Wrong({ text }: { text: ReactNode }) {
  if (text === undefined) return null;
  return (
    <Text size="sm" c="red" role="alert">
      {text}
    </Text>
  );
}
