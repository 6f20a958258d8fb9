import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { brokenKptRules } from "../../../../wire/src/kpt-rules.ts";
import { isOffline } from "../../api/error.ts";
import { queryClient } from "../../api/query-client.ts";
import { useOfflinePages } from "../../offline/use-offline-pages.ts";
import { keep, kept } from "../../session/vault.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { useCampaign } from "../campaigns/campaign-page.tsx";
import type { Campaign } from "../campaigns/records.ts";
import { BrokenRules } from "./broken-rules.tsx";
import { blankDraft, claimOf, type KptDraft, measurementOf, unreadable } from "./kpt-draft.ts";
import { factsOf } from "./kpt-facts.ts";
import { KptFields } from "./kpt-fields.tsx";
import { dropMeasurement, putMeasurement, sendMeasurement } from "./kpt-outbox.ts";
import { useOutbox, WaitingList } from "./waiting-list.tsx";

/** Enter a kitchen performance test; the scheme's rules are checked as one types. */
export function MeasurePage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const { data: known, error: failure, refetch } = useCampaign(campaignId);
  const data = known ?? (isOffline(failure) ? kept<Campaign>(campaignName(campaignId)) : undefined);
  const error = data === undefined ? failure : null;
  // A household has no network: the page is there without one, and so is what the form checks against.
  useOfflinePages();
  useEffect(() => {
    if (known !== undefined) keep(campaignName(campaignId), known);
  }, [known, campaignId]);
  return (
    <PageFrame title={t("implementer.kpt.title")} lead={t("implementer.kpt.lead", { id: campaignId })}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Measure campaign={data} />}
    </PageFrame>
  );
}

const campaignName = (campaignId: string) => `implementer.kpt.campaign.${campaignId}`;

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
  const waiting = useOutbox().filter((each) => each.campaignId === campaignId);
  const facts = factsOf(draft, campaign);
  // Waiting measurements are sent before this one.
  if (facts.campaign !== null && waiting.some(({ testGroup }) => testGroup === "reference")) {
    facts.campaign.hasReferenceClaims = true;
  }
  const broken = brokenKptRules(measurementOf(draft), facts);
  const illegible = unreadable(draft);
  const file = useMutation({
    // Without a network it is kept, too.
    networkMode: "always",
    mutationFn: async () => {
      const { householdId, testGroup } = draft;
      const body = stringifyExact(claimOf(campaignId, draft));
      const entry = putMeasurement({ campaignId, householdId, testGroup, body });
      const outcome = await sendMeasurement(entry);
      if (outcome.kind === "refused") {
        // It is in the form still, to be mended there.
        dropMeasurement(entry.id);
        throw outcome.error;
      }
      return outcome;
    },
    onSuccess: () => {
      change({ householdId: "", logs: ["", "", ""], total: "" });
      // What became of it is said above the form, which is long on a phone.
      window.scrollTo({ top: 0 });
      void queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
    },
  });
  return (
    <Stack maw={900}>
      {file.data?.kind === "filed" && (
        <Alert
          color="teal"
          role="status"
          title={t("implementer.kpt.filed", { household: file.data.filed.householdId })}
        >
          <CodeValue value={file.data.filed.id} />
        </Alert>
      )}
      <WaitingList waiting={waiting} />
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
