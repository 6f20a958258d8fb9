import { Alert, Badge, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import type { NdcAccountingReport } from "../../../../wire/src/reports.ts";
import { hearth } from "../../api/client.ts";
import { localeOf } from "../../i18n/i18n.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { useAddressTexts } from "../../table/use-address.ts";
import { formatDecimal } from "../campaigns/waterfall.ts";
import { CsvButton } from "./csv-button.tsx";
import { PartyForm, partyQueryOf } from "./party-form.tsx";

/** A Party's corresponding adjustments over the years of its NDC period. */
export function NdcPage() {
  const { t } = useTranslation();
  const [given, setQuery] = useAddressTexts(["party", "year"]);
  const query = partyQueryOf(given);
  const report = useQuery({
    queryKey: ["regulator", "ndc-accounting", query],
    queryFn: query && (({ signal }) => hearth.get("/reports/ndc-accounting", { query, signal })),
    enabled: query !== undefined,
  });
  return (
    <PageFrame title={t("regulator.ndc.title")} lead={t("regulator.ndc.lead")}>
      <PartyForm given={given} onAsk={setQuery} isAsking={report.isFetching} withYear />
      {report.isLoading && <Loading />}
      {report.isError && <ErrorNotice error={report.error} onRetry={() => report.refetch()} />}
      {report.data && query && (
        <>
          <CsvButton
            name={`ndc-accounting-${query.party}-${query.year}`}
            request={() => hearth.raw("get", "/reports/ndc-accounting", { query: { ...query, format: "csv" } })}
          />
          <Shown report={report.data} />
        </>
      )}
    </PageFrame>
  );
}

const figures = [
  "firstTransferred",
  "used",
  "cumulative",
  "adjustment",
  "emissions",
  "adjustedEmissions",
  "level",
  "aboveLevel",
] as const;

function Shown({ report }: { report: NdcAccountingReport }) {
  const { t, i18n } = useTranslation();
  const { period, method, record, years, total, problems } = report;
  const show = (value: Decimal | null) =>
    value === null ? t("common.none") : formatDecimal(value, localeOf(i18n.language), 6);
  const { byEvents, byChain, agree } = total.firstTransferred;
  const sums: Record<(typeof figures)[number], Decimal | null> = {
    firstTransferred: byEvents,
    used: total.used,
    cumulative: total.net,
    adjustment: null,
    emissions: null,
    adjustedEmissions: total.adjustedEmissions,
    level: total.level,
    aboveLevel: total.aboveLevel,
  };
  return (
    <Stack>
      <Text size="sm">
        {method === null || period === null
          ? t("regulator.ndc.noMethod")
          : t("regulator.ndc.method", {
              method: t(`regulator.ndc.methods.${method}`),
              first: String(period.firstYear),
              last: String(period.lastYear),
            })}
        {record !== null && <Text span size="sm" c="dimmed">{` ${record.parameterId}: ${record.source}`}</Text>}
      </Text>
      {problems.map(({ rule, message }) => (
        <Alert key={`${rule} ${message}`} color="orange">
          <span lang="en">{message}</span>
        </Alert>
      ))}
      {agree === false && (
        <Alert color="red">{t("regulator.ndc.differs", { chain: show(byChain), events: show(byEvents) })}</Alert>
      )}
      <WideTable label={t("regulator.ndc.years")} minWidth={860}>
        <Table aria-label={t("regulator.ndc.years")}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("regulator.aef.year")}</Table.Th>
              {figures.map((name) => (
                <Table.Th key={name} ta="end">
                  {t(`regulator.ndc.${name}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {years.map((year) => (
              <Table.Tr key={year.year}>
                <Table.Th scope="row" fw={400}>
                  {year.year}{" "}
                  {year.indicative && (
                    <Badge variant="light" color="gray" tt="none">
                      {t("regulator.ndc.indicative")}
                    </Badge>
                  )}
                </Table.Th>
                {figures.map((name) => (
                  <Table.Td key={name} ta="end">
                    {show(year[name])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Th scope="row">{t("regulator.ndc.total")}</Table.Th>
              {figures.map((name) => (
                <Table.Td key={name} ta="end" fw={700}>
                  {sums[name] === null ? "" : show(sums[name])}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </WideTable>
    </Stack>
  );
}
