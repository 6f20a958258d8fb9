import { Anchor, Card, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { FindingBadge } from "../../implementer/campaigns/finding-badge.tsx";
import { findingsKey } from "../../implementer/campaigns/findings-key.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";

/** The findings of a campaign in short, and who signed its data room. */
export function Verification({ campaignId }: { campaignId: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: findingsKey(campaignId),
    queryFn: ({ signal }) => hearth.get("/v1/campaigns/{campaignId}/findings", { path: { campaignId }, signal }),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { items, carried, verifications } = data;
  return (
    <Stack gap="sm" maw={900}>
      {items.length === 0 && <Text size="sm">{t("implementer.findings.none")}</Text>}
      {items.map((finding) => (
        <Card withBorder key={finding.number} p="sm">
          <Stack gap={4}>
            <FindingBadge finding={finding} />
            <Text size="sm" lang="" lineClamp={3} style={{ overflowWrap: "anywhere" }}>
              {finding.opened.text}
            </Text>
            <Text size="sm" c="dimmed">
              {t("regulator.verify.answers", { count: finding.answers.length })} · <Moment at={finding.opened.at} />
            </Text>
          </Stack>
        </Card>
      ))}
      {carried.length > 0 && (
        <Text size="sm">
          {t("regulator.verify.carried", {
            ids: carried.map(({ campaignId: of, number }) => `${of} FAR ${number}`).join(", "),
          })}
        </Text>
      )}
      {verifications.length === 0 && <Text size="sm">{t("regulator.verify.unsigned")}</Text>}
      {verifications.map(({ issuer, dataRoomHash, credentialHash, at }) => (
        <Stack gap={2} key={credentialHash}>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {t("regulator.verify.signedBy", { issuer })} · <Moment at={at} />
          </Text>
          <Group gap="xs">
            <Text size="sm">{t("implementer.findings.dataRoom")}</Text>
            <CodeValue value={dataRoomHash} shorten />
          </Group>
        </Stack>
      ))}
      <Anchor component={Link} to={`/regulator/findings/${encodeURIComponent(campaignId)}`} size="sm">
        {t("regulator.verify.allFindings")}
      </Anchor>
    </Stack>
  );
}
