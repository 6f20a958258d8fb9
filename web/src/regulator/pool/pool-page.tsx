import { Alert, Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconShieldCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { Amount } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { CheckTitle } from "../check-title.tsx";
import { Swaps } from "./swaps.tsx";

const PoolFlow = lazy(async () => ({ default: (await import("./pool-flow.tsx")).PoolFlow }));

type Pool = Schemas["Pool"];

export function PoolPage() {
  const { t } = useTranslation();
  const pool = useQuery({
    queryKey: ["regulator", "pool"],
    queryFn: ({ signal }) => hearth.get("/v1/pool", { signal }),
    refetchInterval: 15_000,
  });
  return (
    <PageFrame
      title={t("regulator.pool.title")}
      lead={t("regulator.pool.lead", { block: pool.data?.blockNumber ?? "…" })}
    >
      {pool.isPending && <Loading />}
      {pool.isError && <ErrorNotice error={pool.error} onRetry={() => pool.refetch()} />}
      {pool.data && <State pool={pool.data} />}
      <Title order={2} size="h4">
        {t("regulator.pool.flow")}
      </Title>
      <WhenLoaded>
        <PoolFlow />
      </WhenLoaded>
      <Title order={2} size="h4">
        {t("regulator.pool.swaps")}
      </Title>
      <Swaps />
    </PageFrame>
  );
}

function State({ pool: { paused, price, reserves, solvency } }: { pool: Pool }) {
  const { t } = useTranslation();
  const { solvent, obligations, checks } = solvency;
  const isViolated = checks.some(({ status }) => status === "violated");
  const verdict = solvent ? "solvent" : isViolated ? "notSolvent" : "unknown";
  return (
    <Stack>
      <Alert
        color={solvent ? "teal" : isViolated ? "red" : "yellow"}
        icon={solvent ? <IconShieldCheck /> : <IconAlertTriangle />}
        title={t(`regulator.pool.${verdict}`)}
      >
        <Stack gap={4} component="ul" m={0} ps="md">
          {checks.map((check) => (
            <Text key={check.id} component="li" size="sm">
              <CheckTitle {...check} /> – {t(`regulator.doubleCounting.${check.status ?? "notMade"}`)}
              {check.reason !== undefined && ` (${check.reason})`}
            </Text>
          ))}
        </Stack>
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Figure title={t("regulator.pool.price")}>
          <Group gap="xs">
            {price === null ? t("common.none") : <Amount value={price} unit="stablecoin" />}
            <Badge variant="outline" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
              {t(paused ? "regulator.pool.paused" : "regulator.pool.running")}
            </Badge>
          </Group>
        </Figure>
        <Figure title={t("regulator.pool.reserves")}>
          <Amount value={reserves.carbon} unit="carbon" />
          <Amount value={reserves.stablecoin} unit="stablecoin" />
        </Figure>
        <Figure title={t("regulator.pool.obligations")}>
          {obligations === null ? (
            t("common.none")
          ) : (
            <>
              <Amount value={obligations.carbon} unit="carbon" />
              <Amount value={obligations.stablecoin} unit="stablecoin" />
            </>
          )}
        </Figure>
      </SimpleGrid>
    </Stack>
  );
}

function Figure({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" radius="md">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Stack gap={0} fz="lg" fw={600}>
        {children}
      </Stack>
    </Paper>
  );
}
