import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { dateFormat } from "../../i18n/formats.ts";
import { localeOf } from "../../i18n/i18n.ts";

/** Days that a chart shows at most. */
const mostDays = 30;

/** Households measured on each day. */
export function VisitsChart({ days }: { days: Schemas["CampaignOverview"]["days"] }) {
  const { t, i18n } = useTranslation();
  const format = dateFormat(localeOf(i18n.language), { day: "numeric", month: "short", timeZone: "UTC" });
  const shown = days.slice(-mostDays);
  const text = shown.map(({ date, measured }) => `${format.format(new Date(`${date}T00:00:00Z`))}: ${measured}`);
  return (
    <figure style={{ margin: 0 }} role="img" aria-label={`${t("home.field.byDay")} ${text.join(", ")}`}>
      <BarChart
        h={160}
        data={shown.map(({ date, measured }) => ({ date: format.format(new Date(`${date}T00:00:00Z`)), measured }))}
        dataKey="date"
        barProps={{ isAnimationActive: false, maxBarSize: 32 }}
        yAxisProps={{ allowDecimals: false, width: 40 }}
        series={[{ name: "measured", label: t("home.field.measuredHeader"), color: "teal.7" }]}
      />
    </figure>
  );
}
