import { Alert, Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { clientWith } from "../../api/client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { EntryCard } from "../entry-card.tsx";

const visitor = clientWith({ key: null });

/**
 * The page of the links in notifications: confirms an address, or ends its notifications. It waits for a button, because mail
 * programs open links to check them.
 */
export function NotificationLinkPage() {
  const { t } = useTranslation();
  const [[purpose = "", token = ""]] = useState(() => window.location.hash.slice(1).split("="));
  const action = purpose === "end" ? "end" : "confirm";
  const work = useMutation({
    mutationFn: () =>
      action === "end"
        ? visitor.post("/v1/notifications/end", { body: { token } })
        : visitor.post("/v1/notifications/confirm", { body: { token } }),
  });
  const isInvalid = token === "" || (work.error instanceof HearthError && work.error.status === 404);
  return (
    <EntryCard title={t("shell.notifications.title")}>
      {isInvalid && <Alert color="orange">{t("shell.notifications.link.invalid")}</Alert>}
      {work.isError && !isInvalid && <ErrorNotice error={work.error} />}
      {work.isSuccess && (
        <Alert color="teal" role="status">
          {t(`shell.notifications.link.${action}ed`)}
        </Alert>
      )}
      {!isInvalid && !work.isSuccess && (
        <>
          <Text>{t(`shell.notifications.link.${action}Lead`)}</Text>
          <Button onClick={() => work.mutate()} loading={work.isPending}>
            {t(`shell.notifications.link.${action}`)}
          </Button>
        </>
      )}
      <Button component="a" href="/console/" variant="subtle">
        {t("shell.notifications.link.console")}
      </Button>
    </EntryCard>
  );
}
