import { Alert, Anchor, Button, Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { IconDownload, IconRouteAltLeft } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { problemsBesideAssumptions, readResult } from "../../implementer/campaigns/campaign-result.ts";
import { DrawParties } from "../../implementer/campaigns/draw-parties.tsx";
import { DrawProof } from "../../implementer/campaigns/draw-proof.tsx";
import type { Campaign } from "../../implementer/campaigns/records.ts";
import { RoomDownloads } from "../../implementer/campaigns/room-downloads.tsx";
import { useCampaign } from "../../implementer/campaigns/use-campaign.ts";
import { UsageSurvey } from "../../implementer/usage/usage-survey.tsx";
import { useSession } from "../../session/session.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { saveFile } from "../save-file.ts";
import { ClaimFlags } from "./claim-flags.tsx";
import { GroupsTable } from "./groups-table.tsx";
import { LinesTable } from "./lines-table.tsx";
import { Positions } from "./positions.tsx";
import { committedReduction, type Reduction, type Result, readCsv } from "./result.ts";
import { StrataStates, StrataTable } from "./strata.tsx";
import { Terms } from "./terms.tsx";
import { useIsVerificationReader } from "./use-certifiability.ts";
import { Verdict } from "./verdict.tsx";

const GroupsPlot = lazy(async () => ({ default: (await import("./groups-plot.tsx")).GroupsPlot }));
const Verification = lazy(async () => ({ default: (await import("./verification.tsx")).Verification }));
const WaterfallChart = lazy(async () => ({ default: (await import("./waterfall-chart.tsx")).WaterfallChart }));

/** A campaign for a verifier: whether it can be certified, its terms, sample, findings, and the result by each method. */
export function ResultPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { key } = useSession();
  const isReader = useIsVerificationReader();
  const result = useQuery({
    queryKey: ["regulator", "campaign-result", id],
    queryFn: ({ signal }) => readResult(id, signal),
    enabled: key !== undefined,
  });
  const campaign = useCampaign(key === undefined ? undefined : id);
  const csv = useMutation({ mutationFn: () => saveFile(readCsv(id), `${id}.csv`) });
  const actions = (
    <Group gap="sm">
      {isReader && result.data?.closing && <RoomDownloads campaignId={id} />}
      {result.data && (
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={csv.isPending}
          onClick={() => csv.mutate()}
        >
          {t("regulator.campaigns.downloadCsv")}
        </Button>
      )}
      <Button
        component={Link}
        to={`/regulator/trace/${encodeURIComponent(id)}`}
        variant="default"
        leftSection={<IconRouteAltLeft size={16} aria-hidden />}
      >
        {t("nav.regulator.trace")}
      </Button>
    </Group>
  );
  return (
    <PageFrame title={t("regulator.campaigns.result", { id })} actions={actions}>
      {key === undefined && <EmptyNotice text={t("regulator.campaigns.needsKey")} />}
      {(result.isLoading || campaign.isLoading) && <Loading />}
      {result.isError && <ErrorNotice error={result.error} onRetry={() => result.refetch()} />}
      {campaign.isError && <ErrorNotice error={campaign.error} onRetry={() => campaign.refetch()} />}
      {csv.isError && <ErrorNotice error={csv.error} />}
      {result.data && campaign.data && <Shown result={result.data} campaign={campaign.data} isReader={isReader} />}
    </PageFrame>
  );
}

type ShownProps = { result: Result; campaign: Campaign; isReader: boolean };

function Shown({ result, campaign, isReader }: ShownProps) {
  const { t } = useTranslation();
  const { closing, campaignId } = result;
  return (
    <Stack>
      <Text size="sm">{t(closing === null ? "regulator.campaigns.open" : "regulator.campaigns.closed")}</Text>
      <Verdict result={result} />
      <Contents isReader={isReader} />
      <Section name="terms">
        <Terms campaign={campaign} result={result} />
        <UsageSurvey campaign={campaign} />
      </Section>
      <Section name="draw">
        <DrawParties campaign={campaign} />
        {campaign.draw !== undefined && <DrawProof campaign={campaign} />}
      </Section>
      <Section name="sample">
        <StrataStates campaign={campaign} />
        <Positions campaignId={campaignId} />
      </Section>
      <Section name="siblings">
        <Siblings siblings={campaign.siblings} />
      </Section>
      <Section name="flags">
        <ResultFlags flags={result.flags} />
        <ClaimFlags campaignId={campaignId} />
      </Section>
      {isReader && (
        <Section name="findings">
          <WhenLoaded>
            <Verification campaignId={campaignId} />
          </WhenLoaded>
        </Section>
      )}
      <Section name="groups">
        <WhenLoaded>
          <GroupsPlot campaignId={campaignId} groups={result.groups} />
        </WhenLoaded>
        <GroupsTable result={result} />
        <StrataTable result={result} />
      </Section>
      <Section name="reduction">
        <Reductions result={result} />
      </Section>
    </Stack>
  );
}

const sectionNames = ["terms", "draw", "sample", "siblings", "flags", "findings", "groups", "reduction"] as const;
type SectionName = (typeof sectionNames)[number];

/** Links to the sections of the page. */
function Contents({ isReader }: { isReader: boolean }) {
  const { t } = useTranslation();
  return (
    <Group component="nav" gap="xs" aria-label={t("regulator.verify.contents")}>
      {sectionNames
        .filter((name) => name !== "findings" || isReader)
        .map((name) => (
          <Anchor key={name} href={`#${name}`} size="sm">
            {t(`regulator.verify.section.${name}`)}
          </Anchor>
        ))}
    </Group>
  );
}

function Section({ name, children }: { name: SectionName; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Title order={2} size="h4" id={name} style={{ scrollMarginTop: "5rem" }}>
        {t(`regulator.verify.section.${name}`)}
      </Title>
      {children}
    </Stack>
  );
}

function Siblings({ siblings }: { siblings: Campaign["siblings"] }) {
  const { t } = useTranslation();
  if (siblings.length === 0) return <Text size="sm">{t("regulator.verify.noSiblings")}</Text>;
  return (
    <Stack gap={4}>
      <Text size="sm">{t("regulator.verify.siblingsHint")}</Text>
      {siblings.map(({ campaignId, status, discardedBy }) => (
        <Group key={campaignId} gap="sm">
          <Anchor
            component={Link}
            to={`/regulator/campaigns/${encodeURIComponent(campaignId)}`}
            size="sm"
            ff="monospace"
          >
            {campaignId}
          </Anchor>
          <StateBadge kind="campaign" state={status} />
          {discardedBy !== null && (
            <Text size="sm">
              {t("regulator.verify.discarded")} <CodeValue value={discardedBy} shorten />
            </Text>
          )}
        </Group>
      ))}
    </Stack>
  );
}

/** Flags whose message is also given in the reader's language. */
const explainedFlags = [
  "measured-after-revocation",
  "frame-is-sample",
  "household-sizes-differ",
  "household-sizes-unknown",
  "measured-before-draw",
  "surveyed-before-draw",
  "same-survey-evidence",
  "shared-evidence",
  "evidence-of-other-campaign",
  "people-differ",
  "cv-below-measured",
  "area-stated",
  "gwp-stated",
] as const;

function isExplained(rule: string): rule is (typeof explainedFlags)[number] {
  return explainedFlags.some((each) => each === rule);
}

/** What the result itself shows for review: households with equal values, a group without variance, a stated size. */
function ResultFlags({ flags }: { flags: Result["flags"] }) {
  const { t } = useTranslation();
  if (flags.length === 0) return null;
  return (
    <Alert color="orange">
      {flags.map(({ group, rule, message, positions }) => (
        <Text key={`${group} ${rule} ${positions.join()}`} size="sm">
          {positions.length > 0 &&
            t("regulator.verify.flagged", {
              group: t(`regulator.campaigns.${group}`),
              positions: positions.join(", "),
            })}{" "}
          {isExplained(rule) && `${t(`regulator.verify.flagTexts.${rule}`)} `}
          <span lang="en">{message}</span>
        </Text>
      ))}
    </Alert>
  );
}

function Reductions({ result }: { result: Result }) {
  const { t } = useTranslation();
  const { reductions } = result.emissions;
  return (
    <Tabs defaultValue={committedReduction(result)?.method ?? null} keepMounted={false}>
      <Tabs.List mb="sm" aria-label={t("regulator.campaigns.method")}>
        {reductions.map(({ method }) => (
          <Tabs.Tab key={method} value={method}>
            {method}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {reductions.map((reduction) => (
        <Tabs.Panel key={reduction.method} value={reduction.method}>
          <ReductionView reduction={reduction} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function ReductionView({ reduction }: { reduction: Reduction }) {
  const { t } = useTranslation();
  const { assumptions, broken } = reduction;
  const problems = problemsBesideAssumptions(reduction);
  return (
    <Stack>
      {broken.length > 0 && (
        <Alert color="red" title={t("regulator.campaigns.broken")}>
          {broken.map(({ rule, message }) => (
            <Text key={rule + message} size="sm">
              {message}
            </Text>
          ))}
        </Alert>
      )}
      {problems.length > 0 && (
        <Alert color="orange" title={t("regulator.campaigns.notCertifiable")}>
          {problems.map(({ rule, message }) => (
            <Text key={rule + message} size="sm" lang="en">
              {message}
            </Text>
          ))}
        </Alert>
      )}
      {assumptions.length > 0 && (
        <Alert color="yellow" title={t("regulator.campaigns.assumptions")}>
          {assumptions.map(({ parameter, value, message }) => (
            <Text key={parameter} size="sm" lang="en">{`${message} (${value})`}</Text>
          ))}
        </Alert>
      )}
      <WhenLoaded>
        <WaterfallChart reduction={reduction} />
      </WhenLoaded>
      <LinesTable lines={reduction.lines} />
    </Stack>
  );
}
