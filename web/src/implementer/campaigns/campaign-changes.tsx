import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../../lazy-part.ts";
import { useSession } from "../../session/session.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { Campaign } from "./records.ts";

const dialogs = {
  amend: lazyPart("acts", () => import("./amend-dialog.tsx"), "AmendDialog"),
  abandon: lazyPart("acts", () => import("./abandon-dialog.tsx"), "AbandonDialog"),
};
type Change = keyof typeof dialogs;

/** The later versions of a campaign's terms with their reasons, its end without a result, and buttons for both. */
export function CampaignChanges({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const role = useSession().key?.holder.role;
  const [change, setChange] = useState<Change>();
  const Shown = change && dialogs[change];
  const { amendments, abandonment } = campaign;
  const changes = changesOf(campaign, role);
  return (
    <>
      {abandonment !== null && (
        <Alert color="red" title={t("implementer.changes.abandoned")}>
          <Stack gap="xs">
            <Text size="sm">{abandonment.reason}</Text>
            {abandonment.discardedBy !== null && (
              <Group gap="xs">
                <Text size="sm">{t("implementer.changes.discardedBy")}</Text>
                <CodeValue value={abandonment.discardedBy} shorten />
              </Group>
            )}
          </Stack>
        </Alert>
      )}
      {amendments.length > 0 && (
        <List size="sm" spacing={4} aria-label={t("implementer.changes.amendments")}>
          {amendments.map(({ version, reason, blockNumber }) => (
            <List.Item key={version}>
              {t("implementer.changes.version", { version, block: blockNumber })} {reason}
            </List.Item>
          ))}
        </List>
      )}
      {changes.length > 0 && (
        <Group gap="sm">
          {changes.map((each) => (
            <Button key={each} size="xs" variant="default" onClick={() => setChange(each)}>
              {t(`implementer.changes.${each}`)}
            </Button>
          ))}
        </Group>
      )}
      {Shown !== undefined && (
        <WhenLoaded fallback={null}>
          <Shown campaign={campaign} onClose={() => setChange(undefined)} />
        </WhenLoaded>
      )}
    </>
  );
}

/** Terms change only before the draw; a campaign can be abandoned until it is closed. */
function changesOf({ status }: Campaign, role: string | undefined): Change[] {
  const mayChange = role === "admin" || role === "regulator" || role === "implementer";
  if (!mayChange) return [];
  if (status === "committed") return ["amend", "abandon"];
  return status === "drawn" ? ["abandon"] : [];
}
