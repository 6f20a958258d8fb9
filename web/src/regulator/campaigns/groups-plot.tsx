import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  CartesianGrid,
  Legend,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  Scatter,
  ScatterChart,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { Decimal } from "../../../../wire/src/exact.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { householdsOf } from "./households.ts";
import { type GroupName, groupNames, type Result, readCsv } from "./result.ts";

const colors: Record<GroupName, string> = {
  reference: "var(--mantine-color-orange-6)",
  intervention: "var(--mantine-color-teal-6)",
};
const shapes = { reference: "circle", intervention: "triangle" } as const;
/** Position in the chart, which may be rounded; the texts are exact. */
const place = (value: Decimal | null) => (value === null ? undefined : Number(value));

/** Each household of both groups as a point, with the groups' means and confidence intervals. */
export function GroupsPlot({ campaignId, groups }: { campaignId: string; groups: Result["groups"] }) {
  const { t } = useTranslation();
  const households = useQuery({
    queryKey: ["regulator", "campaign-households", campaignId],
    queryFn: async ({ signal }) => householdsOf(await (await readCsv(campaignId, signal)).text()),
  });
  if (households.isPending) return <Loading />;
  if (households.isError) return <ErrorNotice error={households.error} onRetry={() => households.refetch()} />;
  if (groupNames.every((name) => households.data[name].length === 0)) {
    return <EmptyNotice text={t("regulator.campaigns.noHouseholds")} />;
  }
  const axis = { stroke: "var(--mantine-color-dimmed)", tick: { fill: "var(--mantine-color-dimmed)", fontSize: 12 } };
  return (
    <figure style={{ margin: 0 }}>
      <div role="img" aria-label={t("regulator.campaigns.groupsHint")}>
        <ResponsiveContainer width="100%" height={300}>
          <ScatterChart margin={{ top: 8, right: 16, bottom: 24, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid strokeDasharray="3 3" stroke="var(--mantine-color-default-border)" />
            <XAxis
              {...axis}
              type="number"
              dataKey="position"
              name={t("regulator.campaigns.household")}
              label={{
                value: t("regulator.campaigns.household"),
                position: "bottom",
                fill: "var(--mantine-color-dimmed)",
              }}
              allowDecimals={false}
            />
            <YAxis {...axis} type="number" dataKey="perDay" name={t("regulator.campaigns.perDay")} width={56} />
            <Tooltip
              contentStyle={{ background: "var(--mantine-color-body)", color: "var(--mantine-color-text)" }}
              itemStyle={{ color: "var(--mantine-color-text)" }}
            />
            <Legend verticalAlign="top" />
            {groupNames.map((name) => {
              const [low, mean, high] = [groups[name].lowerBound, groups[name].mean, groups[name].upperBound].map(
                place,
              );
              if (low === undefined || mean === undefined || high === undefined) return null;
              return (
                <ReferenceArea
                  key={name}
                  y1={low}
                  y2={high}
                  fill={colors[name]}
                  fillOpacity={0.25}
                  ifOverflow="extendDomain"
                />
              );
            })}
            {groupNames.map((name) => {
              const mean = place(groups[name].mean);
              return mean === undefined ? null : (
                <ReferenceLine key={name} y={mean} stroke={colors[name]} strokeWidth={2} />
              );
            })}
            {groupNames.map((name) => (
              <Scatter
                key={name}
                name={t(`regulator.campaigns.${name}`)}
                data={households.data[name].map(({ position, perDay }) => ({ position, perDay: Number(perDay) }))}
                fill={colors[name]}
                shape={shapes[name]}
                isAnimationActive={false}
              />
            ))}
          </ScatterChart>
        </ResponsiveContainer>
      </div>
      <Text component="figcaption" size="sm" c="dimmed">
        {t("regulator.campaigns.groupsHint")}
      </Text>
    </figure>
  );
}
