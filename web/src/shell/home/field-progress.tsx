import { Anchor, Card, Group, Progress, Stack, Table, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { Day } from "../../show/moment.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { Section } from "./section.tsx";

const VisitsChart = lazy(async () => ({ default: (await import("./visits-chart.tsx")).VisitsChart }));

type Campaign = Schemas["CampaignOverview"];

/** How far each drawn campaign is: in total, by village and by day. `pathOf` is the page that a campaign links to. */
export function FieldProgress({ campaigns, pathOf }: { campaigns: Campaign[]; pathOf: (id: string) => string }) {
  const { t } = useTranslation();
  return (
    <Section title={t("home.field.title")}>
      {campaigns.length === 0 && <Text size="sm">{t("home.field.none")}</Text>}
      {campaigns.map((campaign) => (
        <CampaignCard key={campaign.campaignId} campaign={campaign} path={pathOf(campaign.campaignId)} />
      ))}
    </Section>
  );
}

function CampaignCard({ campaign, path }: { campaign: Campaign; path: string }) {
  const { t } = useTranslation();
  const { campaignId, drawn, measured, missing, endDate, regions, days } = campaign;
  return (
    <Card withBorder padding="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Anchor component={Link} to={path} fw={600} translate="no">
            {campaignId}
          </Anchor>
          <Text size="sm">
            {t("home.field.until")} <Day at={endDate} />
          </Text>
        </Group>
        <Text size="sm">
          {t("home.field.measured", { measured, drawn })}
          {missing > 0 && ` · ${t("home.field.missing", { count: missing })}`}
        </Text>
        <Bar done={measured} all={drawn} label={t("home.field.progressOf", { name: campaignId })} />
        <WideTable label={t("home.field.byVillage")} minWidth={280}>
          <Table aria-label={t("home.field.byVillage")}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("home.field.village")}</Table.Th>
                <Table.Th ta="end">{t("home.field.measuredHeader")}</Table.Th>
                <Table.Th w="40%">{t("home.field.progress")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {regions.map((each) => (
                <Table.Tr key={each.region ?? ""}>
                  <Table.Td translate={each.region === null ? undefined : "no"}>
                    {each.region ?? t("home.field.noVillage")}
                  </Table.Td>
                  <Table.Td ta="end">{t("home.field.share", { measured: each.measured, drawn: each.drawn })}</Table.Td>
                  <Table.Td>
                    <Bar
                      done={each.measured}
                      all={each.drawn}
                      label={t("home.field.progressOf", { name: each.region ?? t("home.field.noVillage") })}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideTable>
        {days.length > 0 && (
          <WhenLoaded>
            <VisitsChart days={days} />
          </WhenLoaded>
        )}
      </Stack>
    </Card>
  );
}

function Bar({ done, all, label }: { done: number; all: number; label: string }) {
  return (
    <Progress.Root size="lg">
      <Progress.Section value={all === 0 ? 0 : (done * 100) / all} color="teal" aria-label={label} />
    </Progress.Root>
  );
}
