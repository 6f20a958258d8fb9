import { Button, Checkbox, Group, NumberInput, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { keep, kept } from "../../session/vault.ts";
import { Amount } from "../../show/amount.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type CardLanguage, cardLanguages, languageNames } from "../cards/languages.ts";
import { isDay, today } from "../days.ts";
import { OperationProgress } from "../operations/operation-progress.tsx";

const name = "implementer.issue";
/** What fits on a household's page. */
const mostCodes = 12;
/** The batch whose operation is shown. */
const batchName = "implementer.issue.batch";

/** Issue a voucher to every household of a certificate's allocation, with progress. */
export function IssuePage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.implementer.issue")} lead={t("implementer.issue.lead")}>
      <ParticipantGate kind="implementer">{(did) => <Issue implementerDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Issue({ implementerDid }: { implementerDid: string }) {
  const { t } = useTranslation();
  const [operationId, setOperationId] = useState(() => kept<string>(name));
  const remember = (id: string | undefined) => {
    keep(name, id);
    setOperationId(id);
  };
  if (operationId === undefined) return <IssueForm implementerDid={implementerDid} onStarted={remember} />;
  return (
    <Stack>
      <OperationProgress
        id={operationId}
        label={t("nav.implementer.issue")}
        onEnd={() => void queryClient.invalidateQueries({ queryKey: ["implementer", "certificates"] })}
      />
      <Group>
        <Button component={Link} to="/implementer/vouchers" search={{ batchId: kept<string>(batchName) } as never}>
          {t("implementer.issue.result")}
        </Button>
        <Button variant="default" component={Link} to="/implementer/codes">
          {t("implementer.issue.codesPrint")}
        </Button>
        <Button variant="default" onClick={() => remember(undefined)}>
          {t("implementer.issue.another")}
        </Button>
      </Group>
    </Stack>
  );
}

type IssueFormProps = { implementerDid: string; onStarted: (operationId: string) => void };

function IssueForm({ implementerDid, onStarted }: IssueFormProps) {
  const { t } = useTranslation();
  const certificates = useQuery({
    queryKey: ["implementer", "certificates", implementerDid],
    queryFn: ({ signal }) => hearth.get("/v1/certificates", { query: { implementerDid, limit: 500 }, signal }),
  });
  const [isAsked, setAsked] = useState(false);
  // A campaign's page links here with its certificate.
  const { certificate } = useSearch({ strict: false }) as { certificate?: unknown };
  const wrongDay = (text: string) => (isDay(text) ? null : t("implementer.dayWrong"));
  const form = useForm({
    initialValues: {
      certificateId: typeof certificate === "string" ? certificate : "",
      batchId: "",
      issuanceDate: today(),
      expiryDate: "",
      hasCodes: false,
      perVoucher: 10 as number | string,
      language: "en" as CardLanguage,
    },
    validate: {
      certificateId: (text) => (text === "" ? t("implementer.issue.certificateMissing") : null),
      batchId: (text) => (text.trim() === "" ? t("implementer.required") : null),
      issuanceDate: wrongDay,
      expiryDate: (text, { issuanceDate }) =>
        wrongDay(text) ?? (text <= issuanceDate ? t("implementer.issue.expiryEarly") : null),
    },
  });
  const start = useMutation({
    mutationFn: ({ certificateId, hasCodes, perVoucher, language, ...attributes }: typeof form.values) => {
      const codes = hasCodes ? { codes: { perVoucher: Number(perVoucher), language } } : {};
      const body = { emissionCertificateId: certificateId, attributes, ...codes };
      return sendOnce(name, JSON.stringify(body), (idempotencyKey) =>
        hearth.post("/v1/vouchers/issue-batch", { body, idempotencyKey }),
      );
    },
    onSuccess: ({ operationId }, { batchId }) => {
      keep(batchName, batchId.trim());
      onStarted(operationId);
    },
  });
  if (certificates.data === undefined) {
    return certificates.error === null ? (
      <Loading />
    ) : (
      <ErrorNotice error={certificates.error} onRetry={() => void certificates.refetch()} />
    );
  }
  const open = certificates.data.items.filter(({ allocation, status }) => allocation !== null && status === "valid");
  if (open.length === 0) return <EmptyNotice text={t("implementer.issue.none")} />;
  const chosen = open.find(({ certificateId }) => certificateId === form.values.certificateId);
  const ask = { mutate: () => setAsked(true), isPending: start.isPending, error: start.error };
  return (
    <Form form={form} work={ask} submit={t("implementer.issue.submit")} maw={640}>
      <Select
        label={t("implementer.issue.certificate")}
        data={open.map(({ certificateId }) => certificateId)}
        searchable
        required
        {...form.getInputProps("certificateId")}
      />
      {chosen?.allocation && (
        <Text size="sm">
          {t("implementer.issue.households", { count: chosen.allocation.count })} ·{" "}
          <Amount value={chosen.remaining} unit="carbon" />
        </Text>
      )}
      <TextInput label={t("implementer.issue.batch")} required {...form.getInputProps("batchId")} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="date" label={t("implementer.issue.from")} required {...form.getInputProps("issuanceDate")} />
        <TextInput type="date" label={t("implementer.issue.to")} required {...form.getInputProps("expiryDate")} />
      </SimpleGrid>
      <Checkbox
        label={t("implementer.issue.codes")}
        description={t("implementer.issue.codesHint")}
        {...form.getInputProps("hasCodes", { type: "checkbox" })}
      />
      {form.values.hasCodes && (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput
            label={t("implementer.issue.codesPerVoucher")}
            min={1}
            max={mostCodes}
            allowDecimal={false}
            required
            {...form.getInputProps("perVoucher")}
          />
          <Select
            label={t("implementer.issue.codesLanguage")}
            data={cardLanguages.map((value) => ({ value, label: languageNames[value] }))}
            allowDeselect={false}
            {...form.getInputProps("language")}
          />
        </SimpleGrid>
      )}
      {isAsked && chosen?.allocation && (
        <Dialog title={t("implementer.issue.askTitle")} onClose={() => setAsked(false)}>
          <Stack>
            <Text>
              {t("implementer.issue.households", { count: chosen.allocation.count })} ·{" "}
              <Amount value={chosen.remaining} unit="carbon" /> · {form.values.batchId}
            </Text>
            <Text size="sm">{t("implementer.issue.askHint")}</Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsked(false)}>
                {t("common.cancel")}
              </Button>
              <Button
                data-autofocus
                onClick={() => {
                  setAsked(false);
                  start.mutate(form.values);
                }}
              >
                {t("implementer.issue.confirm")}
              </Button>
            </Group>
          </Stack>
        </Dialog>
      )}
    </Form>
  );
}
