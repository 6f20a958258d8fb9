import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type CampaignResult, useCampaignResult } from "./campaign-result.ts";
import { ResultFigures } from "./result-figures.tsx";

/** Close a campaign: current result and confirmation. */
export function ClosePage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const { data, error, refetch } = useCampaignResult(campaignId);
  return (
    <PageFrame title={t("implementer.close.title", { id: campaignId })} lead={t("implementer.close.lead")}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Close result={data} />}
    </PageFrame>
  );
}

function Close({ result }: { result: CampaignResult }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  if (result.status !== "drawn") {
    return (
      <Alert color="gray">
        {t(
          `implementer.close.${result.status === "closed" ? "already" : result.status === "abandoned" ? "abandoned" : "notDrawn"}`,
        )}
      </Alert>
    );
  }
  return (
    <Stack maw={900}>
      <ResultFigures result={result} />
      <Group>
        <Button color="red" onClick={() => setAsking(true)}>
          {t("implementer.close.open")}
        </Button>
        <Button
          component={Link}
          to={`/implementer/campaigns/${encodeURIComponent(result.campaignId)}`}
          variant="default"
        >
          {t("implementer.kpt.back")}
        </Button>
      </Group>
      {isAsking && <Question result={result} onClose={() => setAsking(false)} />}
    </Stack>
  );
}

type QuestionProps = { result: CampaignResult; onClose: () => void };

/** Confirm the final figures by typing the campaign's id. */
function Question({ result, onClose }: QuestionProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { campaignId, groups } = result;
  const close = useMutation({
    mutationFn: () =>
      settled(
        () => hearth.post("/v1/campaigns/{campaignId}/close", { path: { campaignId }, body: {} }),
        () => undefined,
      ),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      void navigate({ to: `/implementer/campaigns/${encodeURIComponent(campaignId)}` });
    },
  });
  return (
    <Dialog title={t("implementer.close.title", { id: campaignId })} onClose={onClose}>
      <ConfirmForm
        work={close}
        submit={t("implementer.close.submit")}
        typed={{ text: campaignId, label: t("implementer.close.type", { id: campaignId }) }}
        onCancel={onClose}
      >
        <Text>
          {t("implementer.close.figures", {
            reference: groups.reference.claims,
            intervention: groups.intervention.claims,
            mean: result.saving.mean ?? t("common.none"),
            unit: t(`implementer.result.unit.${result.emissions.terms?.valuePer ?? "household"}`),
          })}
        </Text>
        <Text>{t("implementer.close.final")}</Text>
      </ConfirmForm>
    </Dialog>
  );
}
