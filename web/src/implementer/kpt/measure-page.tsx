import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconArrowRight } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { brokenKptRules } from "../../../../wire/src/kpt-rules.ts";
import { isOffline } from "../../api/error.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { useOfflinePages } from "../../offline/use-offline-pages.ts";
import { keep, kept } from "../../session/vault.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { type Campaign, groups } from "../campaigns/records.ts";
import { useCampaign } from "../campaigns/use-campaign.ts";
import { BrokenRules } from "./broken-rules.tsx";
import { blankDraft, blankFuels, blankLogs, claimOf, type KptDraft, measurementOf, unreadable } from "./kpt-draft.ts";
import { factsOf, visitsOfCampaign } from "./kpt-facts.ts";
import { KptFields } from "./kpt-fields.tsx";
import { dropMeasurement, putMeasurement, sendMeasurement } from "./kpt-outbox.ts";
import { useOutbox } from "./use-outbox.ts";
import { nextVisit, usePositions, type Visit, visitsOf } from "./visits.ts";
import { WaitingList } from "./waiting-list.tsx";

/** Enter a kitchen performance test; the rules are checked while typing. */
export function MeasurePage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const { data: known, error: failure, refetch } = useCampaign(campaignId);
  const data = known ?? (isOffline(failure) ? kept<Campaign>(campaignName(campaignId)) : undefined);
  const error = data === undefined ? failure : null;
  // Households often have no network: the page and the data that its form needs are kept for offline use.
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
  const about = visitsOfCampaign(campaign);
  const logs = blankLogs(campaign);
  const fuels = blankFuels(about, logs.length);
  const form = useForm<KptDraft>({
    // A reload restores the typed values.
    initialValues: { ...blankDraft, logs, fuels, ...kept<KptDraft>(name), ...useLinkedVisit(campaign) },
    onValuesChange: (draft) => keep(name, draft),
  });
  const draft = form.values;
  const waiting = useOutbox().filter((each) => each.campaignId === campaignId);
  const visits = visitsOf(usePositions(campaignId), waiting, campaignId);
  const facts = factsOf(draft, campaign);
  // Waiting measurements are sent before this one.
  if (facts.campaign !== null && waiting.some(({ testGroup }) => testGroup === "reference")) {
    facts.campaign.hasReferenceClaims = true;
  }
  const broken = brokenKptRules(measurementOf(draft, about), facts);
  const illegible = unreadable(draft, about);
  const file = useMutation({
    // It is stored first, so it needs no network.
    networkMode: "always",
    mutationFn: async (draft: KptDraft) => {
      const { householdId, testGroup } = draft;
      const body = stringifyExact(claimOf(campaignId, draft, about));
      const entry = putMeasurement({ campaignId, householdId, testGroup, body });
      const outcome = await sendMeasurement(entry);
      if (outcome.kind === "refused") {
        // The form still has the values, so that they can be corrected.
        dropMeasurement(entry.id);
        throw outcome.error;
      }
      return { ...outcome, household: householdId };
    },
    onSuccess: () => {
      form.setValues({ householdId: "", logs, total: "", fuels, times: [], details: [] });
      // The result is above the form, which is long on a phone.
      window.scrollTo({ top: 0 });
      void queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
    },
  });
  const visit = ({ group, householdId }: Visit) => form.setValues({ testGroup: group, householdId });
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
      {visits.length > 0 && draft.householdId === "" && (
        <NextVisit visit={nextVisit(visits, draft.testGroup, file.data?.household)} onVisit={visit} />
      )}
      <Form
        form={form}
        work={file}
        submit={t("implementer.kpt.submit")}
        canSubmit={broken.length === 0 && illegible.length === 0}
        actions={
          <Button component={Link} to={`/implementer/campaigns/${encodeURIComponent(campaignId)}`} variant="default">
            {t("implementer.kpt.back")}
          </Button>
        }
      >
        <KptFields form={form} campaign={campaign} visits={visits} broken={broken} illegible={illegible} />
        <BrokenRules broken={broken} />
      </Form>
      <Text size="xs" c="dimmed">
        {t("implementer.kpt.judged")}
      </Text>
    </Stack>
  );
}

/** The household that a link to this page names, if it is in the sample. */
function useLinkedVisit(campaign: Campaign): Partial<KptDraft> {
  const { household, group } = useSearch({ strict: false }) as { household?: unknown; group?: unknown };
  const found = groups.find((each) => each === group);
  if (typeof household !== "string" || found === undefined) return {};
  return campaign.groups[found].sample.includes(household) ? { testGroup: found, householdId: household } : {};
}

function NextVisit({ visit, onVisit }: { visit: Visit | undefined; onVisit: (visit: Visit) => void }) {
  const { t } = useTranslation();
  if (visit === undefined) return <Alert color="teal">{t("implementer.visit.none")}</Alert>;
  return (
    <Group>
      <Button onClick={() => onVisit(visit)} rightSection={<IconArrowRight size={18} aria-hidden />} h="auto" py="xs">
        <span style={{ whiteSpace: "normal", overflowWrap: "anywhere" }}>
          {t("implementer.visit.next", { household: visit.householdId })}
        </span>
      </Button>
    </Group>
  );
}
