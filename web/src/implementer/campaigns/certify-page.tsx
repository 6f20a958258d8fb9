import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { exact } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Form } from "../../forms/form.tsx";
import { keep, kept } from "../../session/vault.ts";
import { Amount } from "../../show/amount.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { OperationProgress } from "../operations/operation-progress.tsx";
import { type CampaignResult, carbonOf, useCampaignResult } from "./campaign-result.ts";
import { ResultFigures } from "./result-figures.tsx";

/** The regulator turns the result of a closed campaign into a certificate. */
export function CertifyPage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const { data, error, refetch } = useCampaignResult(campaignId);
  return (
    <PageFrame title={t("implementer.certify.title", { id: campaignId })} lead={t("implementer.certify.lead")}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Certify result={data} />}
    </PageFrame>
  );
}

function Certify({ result }: { result: CampaignResult }) {
  const { t } = useTranslation();
  const { campaignId, closing } = result;
  const name = `implementer.certify.${campaignId}`;
  const [operationId, setOperationId] = useState(() => kept<string>(name));
  const back = (
    <Button component={Link} to={`/implementer/campaigns/${encodeURIComponent(campaignId)}`} variant="default">
      {t("implementer.kpt.back")}
    </Button>
  );
  if (operationId !== undefined) {
    const refresh = () => void queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
    return (
      <Stack align="flex-start">
        <OperationProgress
          id={operationId}
          label={t("implementer.certify.title", { id: campaignId })}
          onEnd={refresh}
        />
        {back}
      </Stack>
    );
  }
  if (closing === null) return <Alert color="gray">{t("implementer.certify.notClosed")}</Alert>;
  if (closing.certificateId !== null) {
    return <Alert color="teal">{t("implementer.certify.already", { certificate: closing.certificateId })}</Alert>;
  }
  return (
    <Stack maw={900}>
      <ResultFigures result={result} />
      <CertificateForm
        result={result}
        onStarted={(id) => {
          keep(name, id);
          setOperationId(id);
        }}
      />
      <Group>{back}</Group>
    </Stack>
  );
}

type Values = Pick<Schemas["CampaignCertificateRequest"], "certificateId" | "activityId" | "method"> & {
  registry: string;
  firstSerial: string;
  lastSerial: string;
};
type FormProps = { result: CampaignResult; onStarted: (operationId: string) => void };

function CertificateForm({ result, onStarted }: FormProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const { campaignId } = result;
  const possible = result.emissions.reductions.filter(({ certifiable }) => certifiable.er !== null);
  const missing = (text: string) => (text.trim() === "" ? t("implementer.required") : null);
  const serial = (text: string) => (/^\d{1,30}$/.test(text.trim()) ? null : t("implementer.certify.serialWrong"));
  const form = useForm<Values>({
    initialValues: {
      certificateId: "",
      activityId: "",
      method: possible[0]?.method ?? "smec-4",
      registry: "",
      firstSerial: "",
      lastSerial: "",
    },
    validate: {
      certificateId: missing,
      activityId: missing,
      registry: missing,
      firstSerial: serial,
      lastSerial: serial,
    },
  });
  const make = useMutation({
    mutationFn: ({ registry, firstSerial, lastSerial, ...values }: Values) => {
      const underlyingUnits = { registry, firstSerial: exact(firstSerial), lastSerial: exact(lastSerial) };
      const body = { ...values, underlyingUnits };
      return hearth.post("/v1/campaigns/{campaignId}/certificate", { path: { campaignId }, body });
    },
    onSuccess: (answer) => {
      if ("operationId" in answer) return onStarted(answer.operationId);
      void queryClient.invalidateQueries({ queryKey: ["implementer"] });
      void navigate({ to: `/implementer/campaigns/${encodeURIComponent(campaignId)}` });
    },
    onError: () => setAsking(false),
  });
  const chosen = possible.find(({ method }) => method === form.values.method);
  const ask = { mutate: () => setAsking(true), isPending: make.isPending, error: make.error };
  if (possible.length === 0) return <Alert color="orange">{t("implementer.certify.none")}</Alert>;
  return (
    <>
      <Form form={form} work={ask} submit={t("implementer.certify.open")}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={t("implementer.issue.certificate")} required {...form.getInputProps("certificateId")} />
          <TextInput label={t("implementer.certify.activity")} required {...form.getInputProps("activityId")} />
        </SimpleGrid>
        <Radio.Group label={t("implementer.certify.method")} required {...form.getInputProps("method")}>
          <Stack gap="xs" mt={4}>
            {possible.map(({ method, title, certifiable: { er } }) => (
              <Radio
                key={method}
                value={method}
                label={
                  <>
                    {method} ({title}): <Amount micro={carbonOf(er ?? 0)} unit="carbon" />
                  </>
                }
              />
            ))}
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          {t("implementer.certify.unitsHint")}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput label={t("implementer.certify.registry")} required {...form.getInputProps("registry")} />
          <TextInput label={t("implementer.certify.first")} required {...form.getInputProps("firstSerial")} />
          <TextInput label={t("implementer.certify.last")} required {...form.getInputProps("lastSerial")} />
        </SimpleGrid>
      </Form>
      {isAsking && chosen !== undefined && (
        <Dialog title={t("implementer.certify.question")} onClose={() => setAsking(false)}>
          <ConfirmForm
            work={{ mutate: () => make.mutate(form.values), isPending: make.isPending, error: null }}
            submit={t("implementer.certify.submit")}
            onCancel={() => setAsking(false)}
          >
            <Text fw={600}>
              {form.values.certificateId}: <Amount micro={carbonOf(chosen.certifiable.er ?? 0)} unit="carbon" />
            </Text>
            <Text>
              {t("implementer.certify.figures", {
                households: result.groups.intervention.frameSize,
                registry: form.values.registry,
                first: form.values.firstSerial,
                last: form.values.lastSerial,
              })}
            </Text>
            <Text>{t("implementer.certify.final")}</Text>
          </ConfirmForm>
        </Dialog>
      )}
    </>
  );
}
