import { Box, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import type { SummaryReport } from "../../../../wire/src/reports.ts";
import { hearth } from "../../api/client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { FigureCard } from "./figure-card.tsx";
import { Section } from "./section.tsx";
import { Tonnes } from "./tonnes.tsx";
import { dayFigures, useSummary } from "./use-summary.ts";

// The chart's library is as large as all else on the page.
const DaysChart = lazy(async () => ({ default: (await import("./days-chart.tsx")).DaysChart }));

const ConsentShares = lazy(async () => ({ default: (await import("./consent-shares.tsx")).ConsentShares }));

/** Of the chart with its title and the line below, in pixels: what is under it does not move when the chart comes. */
const chartHeight = 248;
/** Of the table's title, and of each of its rows, in pixels: the same for the table. */
const [titleHeight, rowHeight] = [32, 36];

/** How much was verified, issued, spent and converted, and whether it adds up. */
export function SchemeFigures() {
  const { t } = useTranslation();
  const summary = useSummary();
  if (summary.isPending) return <Loading />;
  if (summary.isError) return <ErrorNotice error={summary.error} onRetry={() => void summary.refetch()} />;
  const { tonnes, asOf, days, consents } = summary.data;
  const hasDays = days.some((day) => dayFigures.some((name) => Number(day[name]) !== 0));
  return (
    <Section title={t("home.scheme.title")}>
      <SimpleGrid cols={{ base: 2, md: 3, lg: 5 }} spacing="xs">
        <FigureCard
          label={t("home.scheme.verified")}
          figure={<Tonnes value={tonnes.verified} />}
          hint={t("home.scheme.certificates", { count: total(summary.data.certificates) })}
          to="/regulator/certificates"
        />
        <FigureCard
          label={t("home.scheme.issued")}
          figure={<Tonnes value={tonnes.issued} />}
          hint={t("home.scheme.vouchers", { count: total(summary.data.vouchers) })}
          to="/regulator/vouchers"
        />
        <FigureCard
          label={t("home.scheme.spent")}
          figure={<Tonnes value={tonnes.spent} />}
          hint={t("home.scheme.redemptions", { count: total(summary.data.redemptions) })}
          to="/regulator/redemptions"
        />
        <FigureCard
          label={t("home.scheme.converted")}
          figure={<Tonnes value={tonnes.converted} />}
          hint={t("home.scheme.conversions", { count: countOf(summary.data.conversions, "finalised") })}
          to="/regulator/itmos"
          search={{ tab: "conversions" }}
        />
        <ChecksCard />
      </SimpleGrid>
      {hasDays ? (
        <Box mih={chartHeight}>
          <WhenLoaded>
            <DaysChart days={days} />
          </WhenLoaded>
        </Box>
      ) : (
        <Text size="sm">{t("home.days.none")}</Text>
      )}
      {total(consents) > 0 && (
        <Box mih={titleHeight + rowHeight * (consents.length + 1)}>
          <WhenLoaded fallback={null}>
            <ConsentShares consents={consents} />
          </WhenLoaded>
        </Box>
      )}
      <p style={{ margin: 0, fontSize: "var(--mantine-font-size-xs)" }}>
        {t("home.scheme.asOf")} <Moment at={asOf} />
      </p>
    </Section>
  );
}

/** Whether everything adds up, by the checks of double counting. */
function ChecksCard() {
  const { t } = useTranslation();
  const board = useQuery({
    queryKey: ["regulator", "double-counting"],
    queryFn: ({ signal }) => hearth.get("/reports/double-counting", { signal }),
  });
  const violated = board.data?.checks.filter(({ status }) => status === "violated").length ?? 0;
  const passed = board.data?.checks.filter(({ status }) => status === "ok").length ?? 0;
  const word = board.isError ? "home.checks.unknown" : board.isPending ? "home.checks.running" : undefined;
  return (
    <FigureCard
      label={t("home.checks.title")}
      figure={
        word !== undefined
          ? t(word)
          : violated > 0
            ? t("home.checks.violated", { count: violated })
            : t("home.checks.fine")
      }
      hint={board.data && t("home.checks.passed", { count: passed })}
      to="/regulator/double-counting"
      alarm={violated > 0}
    />
  );
}

const total = (states: { count: number }[]) => states.reduce((sum, { count }) => sum + count, 0);

/** Number of records in these states. */
export function countOf(states: SummaryReport["claims"] | SummaryReport["conversions"], ...wanted: string[]): number {
  return total(states.filter(({ status }) => wanted.includes(status)));
}
