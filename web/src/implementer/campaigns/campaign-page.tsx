import { Alert, Anchor, Button, Card, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Day } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { useOutbox } from "../kpt/use-outbox.ts";
import { VisitMark } from "../kpt/visit-mark.tsx";
import { nextVisit, usePositions, type Visit, visitLink, visitsOf } from "../kpt/visits.ts";
import { UsageSurvey } from "../usage/usage-survey.tsx";
import { CampaignChanges } from "./campaign-changes.tsx";
import { CampaignStatus } from "./campaign-status.tsx";
import { CampaignSteps } from "./campaign-steps.tsx";
import { DrawParties } from "./draw-parties.tsx";
import { DrawProof } from "./draw-proof.tsx";
import { type Campaign, groups } from "./records.ts";
import { ReplaceDialog } from "./replace-dialog.tsx";
import { useCampaign } from "./use-campaign.ts";

/** A campaign: its draw and proof, the measured and the replaced households. */
export function CampaignPage() {
  const { t } = useTranslation();
  const { campaignId = "" } = useParams({ strict: false }) as { campaignId?: string };
  const { data, error, refetch } = useCampaign(campaignId);
  return (
    <PageFrame title={t("implementer.campaign.title", { id: campaignId })}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Details campaign={data} />}
    </PageFrame>
  );
}

function Details({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { status, testPeriod, sampleSize, planId, commit, drawParties } = campaign;
  const isDrawn = campaign.draw !== undefined;
  const visits = visitsOf(usePositions(campaign.campaignId), useOutbox(), campaign.campaignId);
  return (
    <>
      <Group gap="sm">
        <CampaignStatus status={status} />
        <Text size="sm">
          <Day at={testPeriod.startDate} /> – <Day at={testPeriod.endDate} /> · {planId} ·{" "}
          {t("implementer.campaign.perGroup", { count: sampleSize })}
        </Text>
      </Group>
      {status === "drawn" && <NextVisit campaignId={campaign.campaignId} visits={visits} />}
      {status !== "abandoned" && <CampaignSteps campaign={campaign} />}
      <Group gap="xs">
        <Text size="sm">{t("implementer.campaign.committed", { block: commit.blockNumber })}</Text>
        <CodeValue value={commit.transactionHash} shorten />
        <Anchor component={Link} to={`/implementer/findings/${encodeURIComponent(campaign.campaignId)}`} size="sm">
          {t("implementer.findings.link")}
        </Anchor>
      </Group>
      <CampaignChanges campaign={campaign} />
      <DrawParties campaign={campaign} />
      {status === "committed" && !drawParties.operator?.revealed && <Draw campaign={campaign} />}
      {isDrawn && <DrawProof campaign={campaign} />}
      <UsageSurvey campaign={campaign} />
      {isDrawn && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          {groups.map((group) => (
            <Sample key={group} campaign={campaign} group={group} visits={visits} />
          ))}
        </SimpleGrid>
      )}
    </>
  );
}

/** How many households are measured, and the next one. */
function NextVisit({ campaignId, visits }: { campaignId: string; visits: Visit[] }) {
  const { t } = useTranslation();
  if (visits.length === 0) return null;
  const done = visits.filter(({ state }) => state !== "open").length;
  const next = nextVisit(visits, "reference");
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {t("implementer.visit.progress", { done, count: visits.length })}
        </Text>
        {next !== undefined && (
          <Button component={Link} {...visitLink(campaignId, next)} h="auto" py="xs">
            <span style={{ whiteSpace: "normal", overflowWrap: "anywhere" }}>
              {t("implementer.visit.next", { household: next.householdId })}
            </span>
          </Button>
        )}
      </Group>
    </Card>
  );
}

function Draw({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { campaignId, commit } = campaign;
  const block = commit.drawBlock;
  const draw = useMutation({
    mutationFn: () => {
      const path = { campaignId };
      return settled(
        () => hearth.post("/v1/campaigns/{campaignId}/draw", { path }),
        () => hearth.get("/v1/campaigns/{campaignId}", { path }),
      );
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] }),
  });
  return (
    <Alert color="gray" title={t("implementer.campaign.drawTitle")}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {block === null ? t("implementer.campaign.openHint") : t("implementer.campaign.drawHint", { block })}
        </Text>
        <Button loading={draw.isPending} onClick={() => draw.mutate()}>
          {t("implementer.campaign.draw")}
        </Button>
        {draw.isError && <ErrorNotice error={draw.error} />}
      </Stack>
    </Alert>
  );
}

type SampleProps = { campaign: Campaign; group: (typeof groups)[number]; visits: Visit[] };

function Sample({ campaign, group, visits }: SampleProps) {
  const { t } = useTranslation();
  const { sample, replacements, missingHouseholds, claims, frameSize } = campaign.groups[group];
  const stateOf = new Map(visits.map(({ householdId, state }) => [householdId, state]));
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t(`implementer.group.${group}`)}
        </Title>
        <Text size="sm">{t("implementer.campaign.counts", { sample: sample.length, frame: frameSize, claims })}</Text>
        <WideTable label={t(`implementer.group.${group}`)} minWidth={280} maxHeight={360}>
          <Table aria-label={t(`implementer.group.${group}`)} striped>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("implementer.vouchers.household")}</Table.Th>
                <Table.Th>{t("implementer.campaigns.state")}</Table.Th>
                <Table.Td />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sample.map((did) => (
                <Table.Tr key={did}>
                  <Table.Td style={{ overflowWrap: "anywhere" }}>{did}</Table.Td>
                  <Table.Td>
                    <VisitMark state={stateOf.get(did) ?? "open"} />
                  </Table.Td>
                  <Table.Td w={1}>
                    {campaign.status === "drawn" && stateOf.get(did) !== "measured" && (
                      <ReplaceDialog campaignId={campaign.campaignId} group={group} householdId={did} />
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
        {missingHouseholds.length > 0 && (
          <Stack gap={4}>
            <Text fw={600} size="sm">
              {t("implementer.campaign.missing")}
            </Text>
            {missingHouseholds.map(({ householdId, position, reason }) => (
              <Text size="sm" key={position}>
                {householdId ?? position} ({t(`implementer.reason.${reason}`)})
              </Text>
            ))}
          </Stack>
        )}
        {replacements.length > 0 && (
          <Stack gap={4}>
            <Text fw={600} size="sm">
              {t("implementer.campaign.replaced")}
            </Text>
            {replacements.map(({ dropped, replacement, reason }) => (
              <Text size="sm" key={dropped.position}>
                {dropped.householdId ?? dropped.position} → {replacement.householdId ?? replacement.position} (
                {t(`implementer.reason.${reason}`)})
              </Text>
            ))}
          </Stack>
        )}
      </Stack>
    </Card>
  );
}
