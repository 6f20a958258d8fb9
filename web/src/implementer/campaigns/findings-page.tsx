import { Alert, Button, Card, Group, Select, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { type GetInputPropsReturnType, useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { lazyPart } from "../../lazy-part.ts";
import { useSession } from "../../session/session.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { FindingBadge } from "./finding-badge.tsx";
import { findingsKey } from "./findings-key.ts";
import { RoomDownloads } from "./room-downloads.tsx";
import { useCampaign } from "./use-campaign.ts";

const RoomSignatureDialog = lazyPart("acts", () => import("./room-signature-dialog.tsx"), "RoomSignatureDialog");

type Verification = Schemas["CampaignVerification"];
type Finding = Schemas["Finding"];
const kinds = ["CAR", "CL", "FAR"] as const satisfies Finding["kind"][];

/** A verifier's findings about a campaign's result, and the implementer's answers. */
export function FindingsPage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const isClosed = useCampaign(campaignId).data?.status === "closed";
  const { data, error, refetch } = useQuery({
    queryKey: findingsKey(campaignId),
    queryFn: ({ signal }) => hearth.get("/v1/campaigns/{campaignId}/findings", { path: { campaignId }, signal }),
  });
  return (
    <PageFrame
      title={t("implementer.findings.title", { id: campaignId })}
      lead={t("implementer.findings.lead")}
      actions={
        isClosed && (
          <Group gap="sm">
            <RoomDownloads campaignId={campaignId} />
          </Group>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Shown verification={data} isClosed={isClosed} />}
    </PageFrame>
  );
}

function Shown({ verification, isClosed }: { verification: Verification; isClosed: boolean }) {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const { campaignId, items, carried, openFindings, verifications } = verification;
  const [isOpening, setOpening] = useState(false);
  const [isSigning, setSigning] = useState(false);
  const area = role === "implementer" ? "implementer" : "regulator";
  return (
    <Stack maw={900}>
      {openFindings > 0 && <Alert color="orange">{t("implementer.findings.prevents", { count: openFindings })}</Alert>}
      {items.length === 0 && <EmptyNotice text={t("implementer.findings.none")} />}
      {items.map((finding) => (
        <FindingCard key={finding.number} finding={finding} />
      ))}
      <Group>
        {(role === "evaluator" || role === "admin") && (
          <Button onClick={() => setOpening(true)}>{t("implementer.findings.open")}</Button>
        )}
        {isClosed && (role === "evaluator" || role === "regulator" || role === "admin") && (
          <Button onClick={() => setSigning(true)}>{t("implementer.findings.sign")}</Button>
        )}
        <Button component={Link} to={`/${area}/campaigns/${encodeURIComponent(campaignId)}`} variant="default">
          {t("implementer.kpt.back")}
        </Button>
      </Group>
      {isOpening && (
        <Dialog title={t("implementer.findings.open")} onClose={() => setOpening(false)}>
          <OpenForm campaignId={campaignId} onDone={() => setOpening(false)} />
        </Dialog>
      )}
      {isSigning && (
        <WhenLoaded fallback={null}>
          <RoomSignatureDialog campaignId={campaignId} onClose={() => setSigning(false)} />
        </WhenLoaded>
      )}
      {carried.length > 0 && (
        <>
          <Title order={2} size="h4">
            {t("implementer.findings.carried")}
          </Title>
          {carried.map((finding) => (
            <FindingCard key={`${finding.campaignId} ${finding.number}`} finding={finding} isCarried />
          ))}
        </>
      )}
      {verifications.length > 0 && (
        <Title order={2} size="h4">
          {t("implementer.findings.signatures")}
        </Title>
      )}
      {verifications.map(({ issuer, dataRoomHash, credentialHash, at }) => (
        <Card withBorder key={credentialHash}>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {issuer} · <Moment at={at} />
          </Text>
          <Group gap="xs">
            <Text size="sm">{t("implementer.findings.dataRoom")}</Text>
            <CodeValue value={dataRoomHash} shorten />
          </Group>
        </Card>
      ))}
    </Stack>
  );
}

type CardProps = { finding: Finding; isCarried?: boolean };

function FindingCard({ finding, isCarried = false }: CardProps) {
  const { t } = useTranslation();
  const holder = useSession().key?.holder;
  const role = holder?.role;
  const [act, setAct] = useState<"answers" | "closure">();
  const { campaignId, number, kind, status, opened, answers, closed } = finding;
  const name = isCarried ? `${campaignId}: ${kind} ${number}` : `${kind} ${number}`;
  const mayAnswer = status !== "closed" && (role === "implementer" || role === "admin");
  const isOpener =
    opened.caller === holder?.id || (opened.verifier?.some((did) => holder?.dids?.includes(did) === true) ?? false);
  const mayClose =
    status === "answered" && (role === "regulator" || role === "admin" || (role === "evaluator" && isOpener));
  return (
    <Card withBorder>
      <Stack gap="sm">
        <FindingBadge finding={finding} name={name} />
        <Act act={opened} />
        {answers.map((answer) => (
          <Act key={answer.at} act={answer} title={t("implementer.findings.answer")} />
        ))}
        {closed !== null && <Act act={closed} title={t("implementer.findings.closure")} />}
        <Group gap="sm">
          {mayAnswer && (
            <Button size="xs" variant="default" onClick={() => setAct("answers")}>
              {t("implementer.findings.submit.answers")}
            </Button>
          )}
          {mayClose && (
            <Button size="xs" variant="default" onClick={() => setAct("closure")}>
              {t("implementer.findings.submit.closure")}
            </Button>
          )}
        </Group>
        {act !== undefined && (
          <Dialog title={`${name}: ${t(`implementer.findings.submit.${act}`)}`} onClose={() => setAct(undefined)}>
            <ReplyForm finding={finding} act={act} onDone={() => setAct(undefined)} />
          </Dialog>
        )}
      </Stack>
    </Card>
  );
}

function Act({ act, title }: { act: Finding["opened"]; title?: string }) {
  return (
    <Stack gap={2}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {title !== undefined && `${title} · `}
        <Moment at={act.at} />
        {act.reference !== null && ` · ${act.reference}`}
      </Text>
      {/* Its writer chose the language. */}
      <Text size="sm" lang="" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {act.text}
      </Text>
    </Stack>
  );
}

type Reply = { text: string; reference: string };

/** The values as a request's body: an empty reference is left out. */
function bodyOf({ text, reference }: Reply): { text: string; reference?: string } {
  return reference.trim() === "" ? { text } : { text, reference: reference.trim() };
}

/** The error of an empty text. */
function useMissing() {
  const { t } = useTranslation();
  return (text: string) => (text.trim() === "" ? t("implementer.required") : null);
}

type FieldsProps = { inputsOf: (name: keyof Reply) => GetInputPropsReturnType };

function ReplyFields({ inputsOf }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea label={t("implementer.findings.text")} required autosize minRows={3} {...inputsOf("text")} />
      <TextInput
        label={t("implementer.findings.reference")}
        description={t("implementer.findings.referenceHint")}
        {...inputsOf("reference")}
      />
    </>
  );
}

function OpenForm({ campaignId, onDone }: { campaignId: string; onDone: () => void }) {
  const { t } = useTranslation();
  const form = useForm<Schemas["NewFinding"] & Reply>({
    initialValues: { kind: "CAR", text: "", reference: "" },
    validate: { text: useMissing() },
  });
  const open = useMutation({
    mutationFn: ({ kind, ...reply }: Reply & { kind: Finding["kind"] }) =>
      hearth.post("/v1/campaigns/{campaignId}/findings", { path: { campaignId }, body: { kind, ...bodyOf(reply) } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: findingsKey(campaignId) });
      onDone();
    },
  });
  return (
    <Form form={form} work={open} submit={t("implementer.findings.open")} onCancel={onDone}>
      <Select
        label={t("implementer.findings.kindLabel")}
        data={kinds.map((value) => ({ value, label: `${value}: ${t(`implementer.findings.kind.${value}`)}` }))}
        allowDeselect={false}
        {...form.getInputProps("kind")}
      />
      <ReplyFields inputsOf={(name) => form.getInputProps(name)} />
    </Form>
  );
}

type ReplyProps = { finding: Finding; act: "answers" | "closure"; onDone: () => void };

function ReplyForm({ finding, act, onDone }: ReplyProps) {
  const { t } = useTranslation();
  const { campaignId, number } = finding;
  const form = useForm<Reply>({ initialValues: { text: "", reference: "" }, validate: { text: useMissing() } });
  const reply = useMutation({
    mutationFn: (values: Reply) =>
      hearth.post(`/v1/campaigns/{campaignId}/findings/{number}/${act}`, {
        path: { campaignId, number },
        body: bodyOf(values),
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onDone();
    },
  });
  return (
    <Form form={form} work={reply} submit={t(`implementer.findings.submit.${act}`)} onCancel={onDone}>
      <ReplyFields inputsOf={(name) => form.getInputProps(name)} />
    </Form>
  );
}
