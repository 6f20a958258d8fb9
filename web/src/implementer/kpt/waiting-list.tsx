import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isRemembered } from "../../session/vault.ts";
import { dropMeasurement, type Waiting } from "./kpt-outbox.ts";

/** The unsent measurements of a campaign. */
export function WaitingList({ waiting }: { waiting: readonly Waiting[] }) {
  const { t } = useTranslation();
  if (waiting.length === 0) return null;
  const due = waiting.filter(({ refused }) => refused === undefined);
  return (
    <Stack gap="sm">
      {due.length > 0 && (
        <Alert color="yellow" role="status" title={t("implementer.kpt.waiting", { count: due.length })}>
          <Text size="sm">{t(isRemembered() ? "implementer.kpt.keptDevice" : "implementer.kpt.keptTab")}</Text>
          <List size="sm" mt={4}>
            {due.map(({ id, householdId }) => (
              <List.Item key={id} style={{ overflowWrap: "anywhere" }}>
                {householdId}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {waiting.map(({ id, householdId, refused }) =>
        refused === undefined ? null : (
          <Alert key={id} color="red" role="alert" title={t("implementer.kpt.refused", { household: householdId })}>
            <Stack gap="xs">
              {refused.map((message) => (
                <Text key={message} size="sm">
                  {message}
                </Text>
              ))}
              <Group>
                <Button size="compact-sm" variant="default" onClick={() => dropMeasurement(id)}>
                  {t("implementer.kpt.drop")}
                </Button>
              </Group>
            </Stack>
          </Alert>
        ),
      )}
    </Stack>
  );
}
