import { Button, Card, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { lazyPart } from "../../lazy-part.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Day } from "../../show/moment.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import type { Campaign } from "../campaigns/records.ts";

const DrawnDevices = lazyPart("acts", () => import("./drawn-devices.tsx"), "DrawnDevices");

/** How many of the drawn devices were visited, and the bound that counts; nothing for a campaign without devices. */
export function UsageSurvey({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { campaignId, usageFrame, status } = campaign;
  const [isUnfolded, setUnfolded] = useState(false);
  const canRecord = status === "drawn";
  const { data, error, refetch } = useQuery({
    queryKey: ["implementer", "campaigns", campaignId, "usage-survey"],
    queryFn: ({ signal }) => hearth.get("/v1/campaigns/{campaignId}/usage-survey", { path: { campaignId }, signal }),
    enabled: usageFrame !== null,
  });
  if (usageFrame === null) return null;
  const columns = ["age", "devices", "sample", "inUse", "notInUse", "missing", "open", "bound"] as const;
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("implementer.usage.title")}
        </Title>
        <Text size="sm">
          {t("implementer.usage.hint")} <Day at={usageFrame.day} />
        </Text>
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data !== undefined && (
          <WideTable label={t("implementer.usage.title")} minWidth={480}>
            <Table striped aria-label={t("implementer.usage.title")}>
              <Table.Thead>
                <Table.Tr>
                  {columns.map((name) => (
                    <Table.Th key={name}>{t(`implementer.usage.${name}`)}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.cohorts.map(({ age, devices, sample, inUse, notInUse, missing, open, lowerBound }) => (
                  <Table.Tr key={age}>
                    {[age, devices, sample, inUse, notInUse, missing, open].map((value, i) => (
                      <Table.Td key={columns[i]}>{value}</Table.Td>
                    ))}
                    <Table.Td>
                      {lowerBound === null ? "–" : t("implementer.usage.share", { value: lowerBound })}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </WideTable>
        )}
        {data?.drawn && !isUnfolded && (
          <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} onClick={() => setUnfolded(true)}>
            {t(canRecord ? "implementer.usage.record" : "implementer.usage.show")}
          </Button>
        )}
        {isUnfolded && (
          <WhenLoaded>
            <DrawnDevices campaignId={campaignId} canRecord={canRecord} />
          </WhenLoaded>
        )}
      </Stack>
    </Card>
  );
}
