import { Alert, Button, List, Loader, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../wire/src/errors.ts";
import { clientWith } from "../api/client.ts";
import { acceptInvitation, hasUnansweredAcceptance } from "../session/accept-invitation.ts";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Moment } from "../show/moment.tsx";
import { useDemoLinks } from "./demo-links.tsx";
import { EntryCard } from "./entry-card.tsx";

const visitor = clientWith({ key: null });

/** What a person can do with a link that is not valid any more. */
function NextSteps() {
  const { t } = useTranslation();
  const demo = useDemoLinks();
  return (
    <List size="sm" mt="xs">
      <List.Item>{t("shell.join.joinedHere")}</List.Item>
      <List.Item>{t("shell.join.joinedElsewhere")}</List.Item>
      {demo.data && <List.Item>{t("shell.join.demo")}</List.Item>}
    </List>
  );
}

/** The page of an invitation's link: shows what it offers, and joins with a key pair made on this device. */
export function JoinPage() {
  const { t } = useTranslation();
  const [token] = useState(() => window.location.hash.slice(1));
  const offer = useQuery({
    queryKey: ["shell", "offer", token],
    gcTime: 0,
    queryFn: ({ signal }) => visitor.post("/v1/invitations/show", { body: { token }, signal }),
  });
  const join = useMutation({ mutationFn: () => acceptInvitation(token) });
  const isInvalid = offer.error instanceof HearthError && offer.error.status === 404;
  const canFinish = isInvalid && hasUnansweredAcceptance(token);
  const canJoin = canFinish || offer.data !== undefined;
  return (
    <EntryCard title={t("shell.join.title")}>
      {offer.isPending && <Loader aria-label={t("common.loading")} />}
      {isInvalid && (
        <Alert color="orange">
          {t(canFinish ? "shell.join.unanswered" : "shell.join.invalid")}
          {!canFinish && <NextSteps />}
        </Alert>
      )}
      {offer.isError && !isInvalid && <ErrorNotice error={offer.error} onRetry={() => void offer.refetch()} />}
      {offer.data !== undefined && (
        <>
          <Text>{t("shell.join.offer", { name: offer.data.name, role: t(`shell.role.${offer.data.role}`) })}</Text>
          {[offer.data.supplierDid, offer.data.implementerDid].map(
            (did) =>
              did !== null && (
                <Text key={did} size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
                  {did}
                </Text>
              ),
          )}
          <Text size="sm" c="dimmed">
            {t("shell.join.device")} {t("shell.join.until")} <Moment at={offer.data.expiresAt} />
          </Text>
        </>
      )}
      {join.isError && <ErrorNotice error={join.error} />}
      {canJoin && (
        <Button onClick={() => join.mutate()} loading={join.isPending}>
          {t("shell.join.submit")}
        </Button>
      )}
      <Button component="a" href="/console/" variant="subtle">
        {t("shell.join.signIn")}
      </Button>
    </EntryCard>
  );
}
