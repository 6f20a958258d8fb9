import { Alert, Badge, Button, Code, SimpleGrid, Stack, Table, Text } from "@mantine/core";
import { IconAlertTriangle, IconShieldCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CheckResult, CheckStatus } from "../../../wire/src/reports.ts";
import { hearth } from "../api/client.ts";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { WideTable } from "../show/wide-table.tsx";
import { CheckTitle } from "./check-title.tsx";

type Status = CheckStatus;
type Check = CheckResult;

export function DoubleCountingPage() {
  const { t } = useTranslation();
  const board = useQuery({
    queryKey: ["regulator", "double-counting"],
    queryFn: ({ signal }) => hearth.get("/reports/double-counting", { signal }),
  });
  return (
    <PageFrame
      title={t("regulator.doubleCounting.title")}
      lead={t("regulator.doubleCounting.lead", { block: board.data?.block ?? "…" })}
      actions={
        <Button variant="default" onClick={() => board.refetch()} loading={board.isFetching}>
          {t("regulator.doubleCounting.refresh")}
        </Button>
      }
    >
      {board.isPending && <Loading />}
      {board.isError && <ErrorNotice error={board.error} onRetry={() => board.refetch()} />}
      {board.data && (
        <>
          <Verdict checks={board.data.checks} />
          <Checks checks={board.data.checks} />
        </>
      )}
    </PageFrame>
  );
}

function Verdict({ checks }: { checks: Check[] }) {
  const { t } = useTranslation();
  const violated = checks.filter(({ status }) => status === "violated").length;
  // A check without data passes; a check that could not run is unknown.
  const unknown = checks.filter(
    ({ status, examined, ways }) => (status === null && examined > 0) || ways.chain === null,
  ).length;
  return (
    <SimpleGrid cols={{ base: 1, sm: unknown > 0 ? 2 : 1 }}>
      {violated > 0 ? (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={t("regulator.doubleCounting.some", { count: violated })}
        />
      ) : (
        <Alert color="teal" icon={<IconShieldCheck />} title={t("regulator.doubleCounting.none")} />
      )}
      {unknown > 0 && <Alert color="yellow" title={t("regulator.doubleCounting.unknown", { count: unknown })} />}
    </SimpleGrid>
  );
}

function Checks({ checks }: { checks: Check[] }) {
  const { t } = useTranslation();
  const order = { violated: 0, none: 1, ok: 2 };
  const sorted = [...checks].sort((a, b) => order[a.status ?? "none"] - order[b.status ?? "none"]);
  return (
    <WideTable label={t("regulator.doubleCounting.title")} minWidth={640}>
      <Table verticalSpacing="xs" aria-label={t("regulator.doubleCounting.title")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("regulator.doubleCounting.check")}</Table.Th>
            <Table.Th>{t("regulator.column.status")}</Table.Th>
            <Table.Th ta="end">{t("regulator.doubleCounting.examined")}</Table.Th>
            <Table.Th>{t("regulator.doubleCounting.events")}</Table.Th>
            <Table.Th>{t("regulator.doubleCounting.chain")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map((check) => (
            <Table.Tr key={check.id}>
              <Table.Td>
                <Stack gap={2}>
                  <Text size="sm">
                    <CheckTitle {...check} />
                  </Text>
                  <Text size="xs" c="dimmed" ff="monospace">
                    {check.id}
                  </Text>
                  <Reason {...check} />
                  {check.violations.length > 0 && <Violations check={check} />}
                </Stack>
              </Table.Td>
              <Table.Td>
                <StatusWord status={check.status} />
              </Table.Td>
              <Table.Td ta="end">{check.examined}</Table.Td>
              <Table.Td>
                <StatusWord status={check.ways.events} />
              </Table.Td>
              <Table.Td>
                {check.ways.chain === undefined ? t("common.none") : <StatusWord status={check.ways.chain} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

/** Why a check has no result. */
function Reason({ reason, examined }: Check) {
  const { t } = useTranslation();
  if (reason === undefined) return null;
  if (examined === 0) return <Text size="xs">{t("regulator.doubleCounting.nothingYet")}</Text>;
  return (
    <Text size="xs" lang="en">
      {reason}
    </Text>
  );
}

function Violations({ check }: { check: Check }) {
  const { t } = useTranslation();
  return (
    <details open>
      <summary>{t("regulator.doubleCounting.violations")}</summary>
      <Code block>{check.violations.map((each) => JSON.stringify(each)).join("\n")}</Code>
    </details>
  );
}

function StatusWord({ status }: { status: Status }) {
  const { t } = useTranslation();
  const color = status === "ok" ? "teal" : status === "violated" ? "red" : "gray";
  const key = status === null ? "notMade" : status;
  return (
    <Badge color={color} variant="outline" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
      {t(`regulator.doubleCounting.${key}`)}
    </Badge>
  );
}
