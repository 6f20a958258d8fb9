import { NumberInput, Select, SimpleGrid, TagsInput, Text, Textarea, TextInput, Title } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type LogConvention, logConventions } from "../../../../wire/src/kpt-rules.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { Form } from "../../forms/form.tsx";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { usePlans } from "../../plans/use-plans.ts";
import { keep, kept } from "../../session/vault.ts";
import { PageFrame } from "../../show/page-frame.tsx";
import { isDay } from "../days.ts";
import { readLines } from "../lists.ts";
import { blankTerms, termsOf, unreadableTerms } from "./emissions-terms.ts";
import { SamplingFields } from "./sampling-fields.tsx";
import { blankSampling, samplingOf, samplingProblems } from "./sampling-terms.ts";
import { TermsFields } from "./terms-fields.tsx";

const name = "implementer.new-campaign";
const blank = {
  campaignId: "",
  planId: "",
  startDate: "",
  endDate: "",
  reference: "",
  intervention: "",
  sampleSize: "" as number | "",
  logConvention: "calendar-days" as LogConvention,
  days: "" as number | "",
  season: "",
  culturalEvents: [] as string[],
  occupationalFactors: [] as string[],
  sampling: blankSampling,
  emissions: blankTerms,
};
type Values = typeof blank;

/** Commit a campaign: both frames are recorded on chain before the draw. */
export function NewCampaignPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("implementer.newCampaign.title")} lead={t("implementer.newCampaign.lead")}>
      <ParticipantGate kind="implementer">{(did) => <CampaignForm implementerDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function CampaignForm({ implementerDid }: { implementerDid: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const plans = usePlans(implementerDid);
  const missing = (text: string) => (text.trim() === "" ? t("implementer.required") : null);
  const wrongDay = (text: string) => (isDay(text) ? null : t("implementer.dayWrong"));
  const form = useForm<Values>({
    // A reload restores this long form.
    initialValues: { ...blank, ...kept<Partial<Values>>(name) },
    onValuesChange: (values) => keep(name, values),
    validate: {
      campaignId: missing,
      planId: missing,
      startDate: wrongDay,
      endDate: (text, { startDate }) =>
        wrongDay(text) ?? (text < startDate ? t("implementer.newCampaign.reversed") : null),
      reference: missing,
      sampling: (draft) => (samplingProblems(draft).length > 0 ? t("implementer.sampling.wrong.profile") : null),
      emissions: (draft) => (unreadableTerms(draft).length > 0 ? t("implementer.terms.noNumber") : null),
      intervention: (text, { reference }) =>
        missing(text) ?? overlapProblem(text, reference, t("implementer.newCampaign.overlap")),
    },
  });
  const commit = useMutation({
    mutationFn: (values: Values) =>
      settled(
        () => hearth.post("/v1/campaigns", { body: bodyOf(values) }),
        () => hearth.get("/v1/campaigns/{campaignId}", { path: { campaignId: values.campaignId.trim() } }),
      ),
    onSuccess: ({ campaignId }) => {
      keep(name, undefined);
      void queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      void navigate({ to: `/implementer/campaigns/${encodeURIComponent(campaignId)}` });
    },
  });
  return (
    <Form form={form} work={commit} submit={t("implementer.newCampaign.submit")} maw={760}>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={t("implementer.campaigns.id")} required {...form.getInputProps("campaignId")} />
        <Select
          label={t("implementer.campaigns.plan")}
          data={plans.data?.map(({ planId }) => planId) ?? []}
          required
          {...form.getInputProps("planId")}
        />
        <TextInput type="date" label={t("implementer.kpt.start")} required {...form.getInputProps("startDate")} />
        <TextInput type="date" label={t("implementer.kpt.end")} required {...form.getInputProps("endDate")} />
      </SimpleGrid>
      <Frame form={form} group="reference" />
      <Frame form={form} group="intervention" />
      <NumberInput
        label={t("implementer.newCampaign.sampleSize")}
        description={t("implementer.newCampaign.sampleHint")}
        min={1}
        allowDecimal={false}
        {...form.getInputProps("sampleSize")}
      />
      <SamplingFields
        draft={form.values.sampling}
        onChange={(part) => form.setFieldValue("sampling", { ...form.values.sampling, ...part })}
      />
      <Select
        label={t("implementer.newCampaign.logConvention")}
        data={logConventions.map((value) => ({ value, label: t(`implementer.newCampaign.logConventions.${value}`) }))}
        allowDeselect={false}
        {...form.getInputProps("logConvention")}
      />
      <NumberInput
        label={t("implementer.newCampaign.days")}
        description={t("implementer.newCampaign.daysHint")}
        min={3}
        max={366}
        allowDecimal={false}
        {...form.getInputProps("days")}
      />
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <TextInput label={t("implementer.kpt.season")} {...form.getInputProps("season")} />
        <TagsInput label={t("implementer.kpt.cultural")} {...form.getInputProps("culturalEvents")} />
        <TagsInput label={t("implementer.kpt.occupational")} {...form.getInputProps("occupationalFactors")} />
      </SimpleGrid>
      <Title order={2} size="h4">
        {t("implementer.terms.title")}
      </Title>
      <Text size="sm" c="dimmed">
        {t("implementer.terms.lead")}
      </Text>
      <TermsFields
        draft={form.values.emissions}
        unreadable={unreadableTerms(form.values.emissions)}
        onChange={(part) => form.setFieldValue("emissions", { ...form.values.emissions, ...part })}
      />
      <Text size="sm" c="dimmed">
        {t("implementer.newCampaign.public")}
      </Text>
    </Form>
  );
}

type FrameProps = {
  form: Pick<UseFormReturnType<Values>, "values" | "getInputProps">;
  group: "reference" | "intervention";
};

function Frame({ form, group }: FrameProps) {
  const { t } = useTranslation();
  const count = readLines(form.values[group]).length;
  return (
    <Textarea
      label={t(`implementer.group.${group}`)}
      description={t("implementer.newCampaign.frameHint", { count })}
      autosize
      minRows={4}
      maxRows={12}
      spellCheck={false}
      required
      {...form.getInputProps(group)}
    />
  );
}

function overlapProblem(intervention: string, reference: string, message: string): string | null {
  const first = new Set(readLines(reference));
  const both = readLines(intervention).find((did) => first.has(did));
  return both === undefined ? null : `${message} ${both}`;
}

function bodyOf(values: Values) {
  const { campaignId, planId, startDate, endDate, sampleSize, logConvention, days } = values;
  const { season, culturalEvents, occupationalFactors } = values;
  // An empty list means that there were none; a field that was left blank is omitted.
  const emissions = termsOf(values.emissions);
  const sampling = samplingOf(values.sampling);
  const factors = Object.entries({ culturalEvents, occupationalFactors }).filter(([, said]) => said.length > 0);
  return {
    campaignId: campaignId.trim(),
    planId,
    testPeriod: { startDate, endDate },
    logConvention,
    ...(days === "" ? {} : { days }),
    groups: {
      reference: { frame: readLines(values.reference) },
      intervention: { frame: readLines(values.intervention) },
    },
    // With strata, the sample is the sum of theirs.
    ...(sampleSize === "" || sampling?.strata !== undefined ? {} : { sampleSize }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(emissions === undefined ? {} : { emissions }),
    ...(season.trim() === "" ? {} : { season: season.trim() }),
    ...(factors.length === 0 ? {} : { externalFactors: Object.fromEntries(factors) }),
  };
}
