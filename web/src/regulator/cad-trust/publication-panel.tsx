import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { lazyPart } from "../../lazy-part.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { ProblemList } from "./problem-list.tsx";

const SettingsDialog = lazyPart("regulator/registry", () => import("./settings-dialog.tsx"), "SettingsDialog");
const PublishDialog = lazyPart("regulator/registry", () => import("./publish-dialog.tsx"), "PublishDialog");
const PlanView = lazyPart("regulator/registry", () => import("./plan-view.tsx"), "PlanView");

const keys = ["regulator", "cad-trust"];
/** How often an open publication is read again, in milliseconds. */
const refreshMs = 2_000;

/** The server, the last publication, and what can be done: change the settings, look at the plan, publish. */
export function PublicationPanel() {
  const { t } = useTranslation();
  const [isEditing, setEditing] = useState(false);
  const [isPublishing, setPublishing] = useState(false);
  const [isPlanShown, setPlanShown] = useState(false);
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
  const endedAt = last.data?.endedAt;
  // What the server has, and what is left to send, changed with the publication's end.
  useEffect(() => {
    if (typeof endedAt !== "string") return;
    for (const name of ["plan", "records"]) void queryClient.invalidateQueries({ queryKey: [...keys, name] });
  }, [endedAt]);
  if (settings.isError) return <ErrorNotice error={settings.error} onRetry={() => void settings.refetch()} />;
  if (settings.data === undefined) return null;
  const run = last.data ?? undefined;
  const isSet = settings.data !== null;
  const showPlan = () => {
    setPlanShown(true);
    void queryClient.invalidateQueries({ queryKey: [...keys, "plan"] });
  };
  return (
    <Stack gap="sm">
      {settings.data === null ? (
        <Alert role="status">{t("regulator.cadTrust.notSet")}</Alert>
      ) : (
        <Server settings={settings.data} />
      )}
      {run !== undefined && <LastRun run={run} />}
      <Group>
        <Button variant="default" onClick={() => setEditing(true)}>
          {t("regulator.cadTrust.openSettings")}
        </Button>
        {isSet && (
          <Button variant="default" onClick={showPlan}>
            {t("regulator.cadTrust.openPlan")}
          </Button>
        )}
        {isSet && (
          <Button
            onClick={() => setPublishing(true)}
            loading={run?.endedAt === null}
            disabled={settings.data?.dryRun !== false}
          >
            {t(run?.status === "failed" ? "regulator.cadTrust.again" : "regulator.cadTrust.publish")}
          </Button>
        )}
      </Group>
      {/* The dialog shows the plan itself. */}
      {isPlanShown && !isPublishing && (
        <WhenLoaded fallback={null}>
          <PlanView />
        </WhenLoaded>
      )}
      {isPublishing && (
        <WhenLoaded fallback={null}>
          <PublishDialog onClose={() => setPublishing(false)} />
        </WhenLoaded>
      )}
      {isEditing && (
        <WhenLoaded fallback={null}>
          <SettingsDialog settings={settings.data} onClose={() => setEditing(false)} />
        </WhenLoaded>
      )}
    </Stack>
  );
}

function Server({ settings: { serverUrl, dryRun, hasApiKey, changedAt } }: { settings: Schemas["CadTrustSettings"] }) {
  const { t } = useTranslation();
  return (
    <>
      <Text>
        {t("regulator.cadTrust.server")} <span translate="no">{serverUrl}</span>
      </Text>
      <Text size="sm">
        {t(hasApiKey ? "regulator.cadTrust.hasKey" : "regulator.cadTrust.noKey")} {t("regulator.cadTrust.changed")}{" "}
        <Moment at={changedAt} />
      </Text>
      {dryRun && <Alert role="status">{t("regulator.cadTrust.dryRun")}</Alert>}
    </>
  );
}

function LastRun({ run }: { run: Schemas["CadTrustPublication"] }) {
  const { t } = useTranslation();
  const { status, createdAt, created, edited, removed, message, problems } = run;
  return (
    <>
      <Group gap="sm">
        <Text size="sm">{t("regulator.cadTrust.lastRun")}</Text>
        <StateBadge kind="cadTrust" state={status} />
        <Moment at={createdAt} />
        <Text size="sm">{t("regulator.cadTrust.counts", { created, edited, removed })}</Text>
      </Group>
      {message !== null && problems.length === 0 && (
        <Text size="sm" lang="en">
          {message}
        </Text>
      )}
      {problems.length > 0 && <ProblemList problems={problems} />}
    </>
  );
}
