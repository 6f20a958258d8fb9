import { Alert, Button, Group, List as Items, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";

const keys = ["regulator", "cad-trust"];
/** How often an open publication is read again, in milliseconds. */
const refreshMs = 2_000;

/** The server, the last publication, and the button that begins one. */
export function PublicationPanel() {
  const { t } = useTranslation();
  const settings = useQuery({
    queryKey: [...keys, "settings"],
    queryFn: ({ signal }) =>
      hearth.get("/v1/cad-trust/settings", { signal }).catch((error: unknown) => {
        if (error instanceof HearthError && error.status === 404) return null;
        throw error;
      }),
  });
  const last = useQuery({
    queryKey: [...keys, "last"],
    queryFn: ({ signal }) =>
      hearth.get("/v1/cad-trust/publications", { query: { limit: 1 }, signal }).then(({ items }) => items[0] ?? null),
    enabled: settings.data != null,
    refetchInterval: ({ state }) => (state.data?.endedAt === null ? refreshMs : false),
  });
  const publish = useMutation({
    mutationFn: () => hearth.post("/v1/cad-trust/publications"),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys }),
  });
  if (settings.isError) return <ErrorNotice error={settings.error} onRetry={() => void settings.refetch()} />;
  if (settings.data === undefined) return null;
  if (settings.data === null) return <Alert role="status">{t("regulator.cadTrust.notSet")}</Alert>;
  const { serverUrl, dryRun } = settings.data;
  const run = last.data ?? undefined;
  return (
    <Stack gap="sm">
      <Text>
        {t("regulator.cadTrust.server")} <span translate="no">{serverUrl}</span>
      </Text>
      {dryRun && <Alert role="status">{t("regulator.cadTrust.dryRun")}</Alert>}
      {run !== undefined && (
        <Group gap="sm">
          <StateBadge kind="cadTrust" state={run.status} />
          <Moment at={run.createdAt} />
          <Text size="sm">
            {t("regulator.cadTrust.counts", { created: run.created, edited: run.edited, removed: run.removed })}
          </Text>
        </Group>
      )}
      {run?.message != null && (
        <Text size="sm" lang="en">
          {run.message}
        </Text>
      )}
      {run !== undefined && run.problems.length > 0 && (
        <Items size="sm" lang="en">
          {run.problems.map(({ path, message }) => (
            <Items.Item key={`${path} ${message}`}>{path === undefined ? message : `${path}: ${message}`}</Items.Item>
          ))}
        </Items>
      )}
      {publish.isError && <ErrorNotice error={publish.error} />}
      <Group>
        <Button onClick={() => publish.mutate()} loading={publish.isPending || run?.endedAt === null} disabled={dryRun}>
          {t("regulator.cadTrust.publish")}
        </Button>
      </Group>
    </Stack>
  );
}
