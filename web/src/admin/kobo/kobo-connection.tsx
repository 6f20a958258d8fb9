import { Alert, Button, Group, List, Progress, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { hasEnded } from "../../api/operation.ts";
import { queryClient } from "../../api/query-client.ts";
import { useOperation } from "../../implementer/operations/use-operation.ts";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { type Connection, changes } from "./kobo-queries.ts";

type KoboConnectionProps = { connection: Connection; onMap: () => void; onClose: () => void };

/** How a connection's records go, and what can be done: check it, map questions, read old records, end it. */
export function KoboConnection({ connection: { id, name }, onMap, onClose }: KoboConnectionProps) {
  const { t } = useTranslation();
  const path = { id };
  const { data, error, refetch } = useQuery({
    queryKey: [...changes, id],
    staleTime: 0,
    queryFn: ({ signal }) => hearth.get("/v1/kobo/connections/{id}", { path, signal }),
  });
  const again = () => queryClient.invalidateQueries({ queryKey: changes });
  const check = useMutation({
    mutationFn: () => hearth.post("/v1/kobo/connections/{id}/check", { path }),
    onSettled: again,
  });
  const read = useMutation({
    mutationFn: () =>
      sendOnce("admin.kobo.import", id, (idempotencyKey) =>
        hearth.post("/v1/kobo/connections/{id}/import", { path, idempotencyKey }),
      ),
  });
  const end = useMutation({
    mutationFn: () => hearth.delete("/v1/kobo/connections/{id}", { path }),
    onSuccess: async () => {
      await again();
      onClose();
    },
  });
  const isEnded = data !== undefined && data.revokedAt !== null;
  return (
    <Dialog title={name} onClose={onClose}>
      <Stack gap="sm">
        {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && <State detail={data} />}
        {[check, read, end].map(({ error: problem }) =>
          problem === null ? null : <ErrorNotice key={problem.message} error={problem} />,
        )}
        {check.data !== undefined && <Found check={check.data} />}
        {read.data !== undefined && <ImportProgress id={read.data.operationId} />}
        {data !== undefined && !isEnded && (
          <Group>
            <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
              {t("admin.kobo.check")}
            </Button>
            <Button variant="default" onClick={onMap}>
              {t("admin.kobo.map")}
            </Button>
            <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
              {t("admin.kobo.import")}
            </Button>
            <Button variant="default" color="red" loading={end.isPending} onClick={() => end.mutate()}>
              {t("admin.kobo.end")}
            </Button>
          </Group>
        )}
      </Stack>
    </Dialog>
  );
}

function State({
  detail: { waiting, failing, lastError, hookUid, revokedAt },
}: {
  detail: Schemas["KoboConnectionDetail"];
}) {
  const { t } = useTranslation();
  return (
    <>
      <Text size="sm">{t("admin.kobo.waiting", { waiting, failing })}</Text>
      {hookUid === null && revokedAt === null && (
        <Alert color="yellow" role="alert">
          {t("admin.kobo.noHook")}
        </Alert>
      )}
      {hookUid !== null && revokedAt !== null && (
        <Alert color="yellow" role="alert">
          {t("admin.kobo.hookLeft")}
        </Alert>
      )}
      {lastError !== null && (
        <Alert color="yellow" title={t("admin.kobo.lastError")} role="alert">
          <span lang="en">{lastError}</span>
        </Alert>
      )}
    </>
  );
}

function Found({
  check: { project, deployed, records, hook, changed, missing },
}: {
  check: Schemas["KoboConnectionCheck"];
}) {
  const { t } = useTranslation();
  return (
    <Stack gap="xs" role="status">
      <Text size="sm">
        <span translate="no">{project}</span>: {t("admin.kobo.found", { records, changed })}
      </Text>
      <Text size="sm">{t(`admin.kobo.hook.${hook}`)}</Text>
      {!deployed && <Text size="sm">{t("admin.kobo.notDeployed")}</Text>}
      {missing.length > 0 && (
        <>
          <Text size="sm">{t("admin.kobo.missing")}</Text>
          <List size="sm">
            {missing.map((field) => (
              <List.Item key={field}>
                <code>{field}</code>
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}

/** How many old records are read. What was made of each is with the other records. */
function ImportProgress({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useOperation(id);
  if (data === undefined) {
    return error === null ? <Loading /> : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  const { done, total, failed } = data.progress;
  const percent = total === 0 ? 100 : Math.floor((done * 100) / total);
  return (
    <Stack gap="xs">
      <Progress.Root size="lg">
        <Progress.Section value={percent} aria-label={t("admin.kobo.import")} animated={!hasEnded(data)} />
      </Progress.Root>
      <Text size="sm" role="status">
        {t("admin.kobo.read", { done, total, failed })}
      </Text>
    </Stack>
  );
}
