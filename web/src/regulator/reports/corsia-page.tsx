import { Badge, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CorsiaLabel, CorsiaReport } from "../../../../wire/src/reports.ts";
import { hearth } from "../../api/client.ts";
import { Amount } from "../../show/amount.tsx";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { useAddressTexts } from "../../table/use-address.ts";
import { TraceLink } from "../trace-link.tsx";
import { CsvButton } from "./csv-button.tsx";
import { PartyForm } from "./party-form.tsx";

/** The phases of CORSIA in which a Party's ITMOs are eligible. */
export function CorsiaPage() {
  const { t } = useTranslation();
  const [{ party }, setQuery] = useAddressTexts(["party"]);
  const report = useQuery({
    queryKey: ["regulator", "corsia", party],
    queryFn: ({ signal }) => hearth.get("/reports/corsia", { query: { party: party ?? "" }, signal }),
    enabled: party !== undefined,
  });
  return (
    <PageFrame title={t("regulator.corsia.title")} lead={t("regulator.corsia.lead")}>
      <PartyForm given={{ party }} onAsk={(query) => setQuery({ party: query.party })} isAsking={report.isFetching} />
      {report.isLoading && <Loading />}
      {report.isError && <ErrorNotice error={report.error} onRetry={() => report.refetch()} />}
      {report.data && (
        <>
          <CsvButton
            name={`corsia-${report.data.party}`}
            request={() => hearth.raw("get", "/reports/corsia", { query: { party: report.data.party, format: "csv" } })}
          />
          <Units units={report.data.units} />
        </>
      )}
    </PageFrame>
  );
}

function Units({ units }: Pick<CorsiaReport, "units">) {
  const { t } = useTranslation();
  if (units.length === 0) return <EmptyNotice text={t("regulator.corsia.empty")} />;
  return (
    <WideTable label={t("regulator.corsia.title")} minWidth={720}>
      <Table aria-label={t("regulator.corsia.title")} verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("regulator.column.certificate")}</Table.Th>
            <Table.Th>{t("regulator.corsia.phases")}</Table.Th>
            <Table.Th>{t("regulator.column.authorization")}</Table.Th>
            <Table.Th>{t("regulator.column.status")}</Table.Th>
            <Table.Th ta="end">{t("regulator.column.carbon")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {units.map(({ certificateId, registry, vintage, authorizationId, purpose, status, carbon, labels }) => (
            <Table.Tr key={`${certificateId} ${authorizationId} ${status}`} style={{ verticalAlign: "top" }}>
              <Table.Td>
                <TraceLink id={certificateId} />
                <Text size="xs" c="dimmed">{`${registry} · ${vintage}`}</Text>
              </Table.Td>
              <Table.Td>
                <Stack gap={6}>
                  {labels.map((label) => (
                    <Label key={label.phase} {...label} />
                  ))}
                </Stack>
              </Table.Td>
              <Table.Td>
                {authorizationId}
                <Text size="xs" c="dimmed">
                  {purpose}
                </Text>
              </Table.Td>
              <Table.Td>
                <StateBadge kind="itmoBlock" state={status} />
              </Table.Td>
              <Table.Td ta="end">
                <Amount value={carbon} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

/** One phase: eligible, or each thing that is missing. */
function Label({ phase, firstYear, lastYear, eligible, record, missing }: CorsiaLabel) {
  const { t } = useTranslation();
  return (
    <Text size="sm" component="div">
      {`${t(`regulator.corsia.phase.${phase}`)} ${firstYear}–${lastYear} `}
      <Badge
        color={eligible ? "teal" : "gray"}
        variant="outline"
        tt="none"
        styles={{ label: { color: "var(--mantine-color-text)" } }}
      >
        {t(eligible ? "regulator.corsia.eligible" : "regulator.corsia.notEligible")}
      </Badge>
      <Text size="xs" c="dimmed">
        {eligible
          ? `${record?.parameterId}: ${record?.source}`
          : missing.map((rule) => t(`regulator.corsia.missing.${rule}`)).join("; ")}
      </Text>
    </Text>
  );
}
