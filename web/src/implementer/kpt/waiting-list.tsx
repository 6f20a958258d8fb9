import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { queryClient } from "../../api/query-client.ts";
import { useStore } from "../../session/use-store.ts";
import { isRemembered } from "../../session/vault.ts";
import { dropMeasurement, sendOutbox, subscribeOutbox, type Waiting, waitingMeasurements } from "./kpt-outbox.ts";

/** Interval between attempts while something waits, in milliseconds. */
const tryMs = 20_000;

/** The unsent measurements, which are sent automatically; each is filed once. */
export function useOutbox(): readonly Waiting[] {
  const waiting = useStore(subscribeOutbox, waitingMeasurements);
  const isDue = waiting.some(({ refused }) => refused === undefined);
  useEffect(() => {
    if (!isDue) return;
    const send = async () => {
      if ((await sendOutbox()) > 0) await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
    };
    const again = () => void send();
    const timer = setInterval(again, tryMs);
    window.addEventListener("online", again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", again);
    };
  }, [isDue]);
  useEffect(() => {
    if (!isDue || isRemembered()) return;
    // Closing the tab would lose its unsent measurements.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isDue]);
  return waiting;
}

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
