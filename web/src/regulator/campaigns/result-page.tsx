import { Alert, Anchor, Button, Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { IconDownload, IconRouteAltLeft } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { problemsBesideAssumptions, readResult } from "../../implementer/campaigns/campaign-result.ts";
import { useSession } from "../../session/session.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { saveFile } from "../save-file.ts";
import { TraceLink } from "../trace-link.tsx";
import { ClaimFlags } from "./claim-flags.tsx";
import { GroupsTable } from "./groups-table.tsx";
import { LinesTable } from "./lines-table.tsx";
import { type Reduction, type Result, readCsv } from "./result.ts";

const GroupsPlot = lazy(async () => ({ default: (await import("./groups-plot.tsx")).GroupsPlot }));
const WaterfallChart = lazy(async () => ({ default: (await import("./waterfall-chart.tsx")).WaterfallChart }));

/** A campaign's result: both groups, the saving, and the reduction by each method. */
export function ResultPage() {
  const { t } = useTranslation();
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { key } = useSession();
  const result = useQuery({
    queryKey: ["regulator", "campaign-result", id],
    queryFn: ({ signal }) => readResult(id, signal),
    enabled: key !== undefined,
  });
  const csv = useMutation({ mutationFn: () => saveFile(readCsv(id), `${id}.csv`) });
  const actions = (
    <Group gap="sm">
      <Button
        component={Link}
        to={`/regulator/trace/${encodeURIComponent(id)}`}
        variant="default"
        leftSection={<IconRouteAltLeft size={16} aria-hidden />}
      >
        {t("regulator.nav.trace")}
      </Button>
      {result.data && (
        <Button component={Link} to={`/regulator/findings/${encodeURIComponent(id)}`} variant="default">
          {t("implementer.findings.link")}
        </Button>
      )}
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
    </Group>
  );
  return (
    <PageFrame title={t("regulator.campaigns.result", { id })} actions={actions}>
      {key === undefined && <EmptyNotice text={t("regulator.campaigns.needsKey")} />}
      {result.isLoading && <Loading />}
      {result.isError && <ErrorNotice error={result.error} onRetry={() => result.refetch()} />}
      {csv.isError && <ErrorNotice error={csv.error} />}
      {result.data && <Shown result={result.data} />}
    </PageFrame>
  );
}

function Shown({ result }: { result: Result }) {
  const { t } = useTranslation();
  const { closing, emissions } = result;
  return (
    <Stack>
      <Alert color={closing === null ? "yellow" : "teal"}>
        <Text size="sm">{t(closing === null ? "regulator.campaigns.open" : "regulator.campaigns.closed")}</Text>
        {closing?.certificateId && <TraceLink id={closing.certificateId} />}
        {closing !== null && !closing.certificateId && (
          <Anchor component={Link} to={`/regulator/certify/${encodeURIComponent(result.campaignId)}`} size="sm">
            {t("implementer.certify.open")}
          </Anchor>
        )}
      </Alert>
      <Title order={2} size="h4">
        {t("regulator.campaigns.groups")}
      </Title>
      <Suspense fallback={<Loading />}>
        <GroupsPlot campaignId={result.campaignId} groups={result.groups} />
      </Suspense>
      <GroupsTable result={result} />
      <ClaimFlags campaignId={result.campaignId} />
      <Title order={2} size="h4">
        {t("regulator.campaigns.waterfall")}
      </Title>
      <Tabs defaultValue={emissions.reductions[0]?.method ?? null} keepMounted={false}>
        <Tabs.List mb="sm" aria-label={t("regulator.campaigns.method")}>
          {emissions.reductions.map(({ method }) => (
            <Tabs.Tab key={method} value={method}>
              {method}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {emissions.reductions.map((reduction) => (
          <Tabs.Panel key={reduction.method} value={reduction.method}>
            <ReductionView reduction={reduction} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
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
      <Suspense fallback={<Loading />}>
        <WaterfallChart reduction={reduction} />
      </Suspense>
      <LinesTable lines={reduction.lines} />
    </Stack>
  );
}
