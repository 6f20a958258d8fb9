import { Alert, Button, List, Stack, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import type { DrawFinding } from "./draw-check.ts";
import type { Campaign } from "./records.ts";

/** The block that determined the draw, and the same draw recalculated in this browser. */
export function DrawProof({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const check = useMutation({
    mutationFn: async () => {
      const { campaignId } = campaign;
      const [document, { checkDraw }] = await Promise.all([
        hearth.get("/v1/campaigns/{campaignId}/draw", { path: { campaignId } }),
        import("./draw-check.ts"),
      ]);
      return checkDraw(document, campaign.sampling) ?? [];
    },
  });
  const { draw } = campaign;
  return (
    <Alert color="gray" title={t("implementer.campaign.proofTitle")}>
      <Stack gap="xs" align="flex-start">
        {draw !== undefined && (
          <>
            <Text size="sm">{t("implementer.campaign.drawnBy", { block: draw.blockNumber })}</Text>
            <CodeValue value={draw.blockHash} shorten />
            <Text size="sm">{t("implementer.campaign.seed")}</Text>
            <CodeValue value={draw.seed} shorten />
            {draw.beacon !== null && (
              <Text size="sm">
                {draw.beacon.signature === null ? (
                  <>
                    {t("implementer.campaign.beaconWaits", { round: draw.beacon.round })}{" "}
                    <Moment at={new Date(draw.beacon.publishedAt * 1_000).toISOString()} />
                  </>
                ) : (
                  t("implementer.campaign.beacon", { round: draw.beacon.round })
                )}
              </Text>
            )}
          </>
        )}
        <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          {t("implementer.campaign.check")}
        </Button>
        <div role="status">{check.data !== undefined && <Findings findings={check.data} />}</div>
        {check.isError && <ErrorNotice error={check.error} />}
      </Stack>
    </Alert>
  );
}

function Findings({ findings }: { findings: DrawFinding[] }) {
  const { t } = useTranslation();
  return (
    <List size="sm" spacing={4}>
      {findings.map(({ what, group, holds }) => (
        <List.Item
          key={`${what} ${group ?? ""}`}
          icon={holds ? <IconCheck size={16} color="teal" aria-hidden /> : <IconX size={16} color="red" aria-hidden />}
        >
          {t(`implementer.finding.${what}`, { group: group === undefined ? "" : t(`implementer.group.${group}`) })}:{" "}
          {t(holds ? "implementer.finding.holds" : "implementer.finding.fails")}
        </List.Item>
      ))}
    </List>
  );
}
