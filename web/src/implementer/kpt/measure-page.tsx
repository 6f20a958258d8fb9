import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { keep, kept } from "../../session/vault.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { useCampaign } from "../campaigns/campaign-page.tsx";
import { type Campaign, factsOf } from "../campaigns/records.ts";
import { BrokenRules } from "./broken-rules.tsx";
import { blankDraft, claimOf, entryOf, type KptDraft, unreadable } from "./kpt-draft.ts";
import { KptFields } from "./kpt-fields.tsx";
import { brokenKptRules } from "./kpt-rules.ts";

/** Enter a kitchen performance test; the scheme's rules are checked as one types. */
export function MeasurePage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const { data, error, refetch } = useCampaign(campaignId);
  return (
    <PageFrame title={t("implementer.kpt.title")} lead={t("implementer.kpt.lead", { id: campaignId })}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Measure campaign={data} />}
    </PageFrame>
  );
}

type Filed = { id: string; householdId: string; transactionHash: string };

function Measure({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { campaignId } = campaign;
  const name = `implementer.kpt.${campaignId}`;
  const [draft, setDraft] = useState<KptDraft>(() => kept<KptDraft>(name) ?? blankDraft);
  const change = (part: Partial<KptDraft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    // Much is typed here: a reload brings it back.
    keep(name, next);
  };
  const broken = brokenKptRules(entryOf(draft), factsOf(campaign));
  const illegible = unreadable(draft);
  const file = useMutation({
    mutationFn: () => request<Filed>("POST", "/v1/claims", { body: claimOf(campaignId, draft) }),
    onSuccess: () => {
      change({ householdId: "", logs: ["", "", ""], total: "" });
      void queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
    },
  });
  return (
    <Stack maw={900}>
      {file.data !== undefined && (
        <Alert color="teal" role="status" title={t("implementer.kpt.filed", { household: file.data.householdId })}>
          <CodeValue value={file.data.id} />
        </Alert>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          file.mutate();
        }}
      >
        <Stack>
          <KptFields draft={draft} onChange={change} campaign={campaign} broken={broken} illegible={illegible} />
          <BrokenRules broken={broken} />
          {file.isError && <ErrorNotice error={file.error} />}
          <Group>
            <Button type="submit" loading={file.isPending} disabled={broken.length > 0 || illegible.length > 0}>
              {t("implementer.kpt.submit")}
            </Button>
            <Button component={Link} to={`/implementer/campaigns/${encodeURIComponent(campaignId)}`} variant="default">
              {t("implementer.kpt.back")}
            </Button>
          </Group>
          <Text size="xs" c="dimmed">
            {t("implementer.kpt.judged")}
          </Text>
        </Stack>
      </form>
    </Stack>
  );
}
