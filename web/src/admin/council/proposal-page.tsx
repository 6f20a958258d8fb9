import { Alert, Button, Card, Group, List, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { useSession } from "../../session/session.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { Countdown } from "./countdown.tsx";
import { approve, cancel } from "./sign-decision.ts";
import { freshMs, type Proposal, useCouncilPart } from "./use-council.ts";
import { WalletBar } from "./wallet-bar.tsx";

/** One proposal: what it changes, who approved it, when it can be executed, and what the wallet's account can do. */
export function ProposalPage() {
  const { t } = useTranslation();
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error, refetch } = useQuery({
    queryKey: ["admin", "council", "proposal", id],
    queryFn: ({ signal }) => hearth.get("/v1/pool/proposals/{id}", { path: { id }, signal }),
    refetchInterval: freshMs,
  });
  return (
    <PageFrame title={t("admin.council.proposal")}>
      {error !== null && data === undefined && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <Loading /> : <Shown proposal={data} />}
    </PageFrame>
  );
}

function Shown({ proposal }: { proposal: Proposal }) {
  const { t } = useTranslation();
  const { words, alarms, status, approvals, approvalsMissing, readyAt, asOf, expiresAt, problem } = proposal;
  return (
    <>
      <Group>
        <StateBadge kind="proposal" state={status} />
        <CodeValue value={proposal.id} shorten />
      </Group>
      {alarms.map((alarm) => (
        <Alert key={alarm} color="red" lang="en">
          {alarm}
        </Alert>
      ))}
      <Card withBorder>
        <Stack gap="xs" lang="en">
          <List>
            {words.changes.map((change) => (
              <List.Item key={change}>{change}</List.Item>
            ))}
          </List>
          <Text size="sm" c="dimmed">
            {words.summary} {words.notBefore}
          </Text>
        </Stack>
      </Card>
      <Text>
        {status === "collecting" && t("admin.council.missing", { count: approvalsMissing })}{" "}
        {status === "collecting" && expiresAt !== null && (
          <>
            {t("admin.council.expires")} <Moment at={expiresAt} />
          </>
        )}
        {status === "scheduled" && readyAt !== null && (
          <>
            {t("admin.council.due")} <Countdown until={readyAt} asOf={asOf} />, <Moment at={readyAt} />
          </>
        )}
        {status === "ready" && t("admin.council.ready")}
      </Text>
      {problem !== null && (
        <Alert color="orange" lang="en">
          {problem}
        </Alert>
      )}
      <Title order={2} size="h4">
        {t("admin.council.approvals")}
      </Title>
      <List>
        {approvals.map(({ signer, signedAt, counts, whyNot }) => (
          <List.Item key={`${signer}-${signedAt}`}>
            <Group gap="xs">
              <CodeValue value={signer} shorten />
              <Moment at={signedAt} />
              {!counts && <span lang="en">{whyNot}</span>}
            </Group>
          </List.Item>
        ))}
      </List>
      <WalletBar />
      <Actions proposal={proposal} />
    </>
  );
}

function Actions({ proposal: { id, status, approvals, proposer } }: { proposal: Proposal }) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const part = useCouncilPart();
  const [isCancelling, setCancelling] = useState(false);
  const readAgain = () => queryClient.invalidateQueries({ queryKey: ["admin", "council"] });
  const sign = useMutation({ mutationFn: () => approve(id), onSettled: readAgain });
  const execute = useMutation({
    mutationFn: () => hearth.post("/v1/pool/proposals/{id}/execute", { path: { id } }),
    onSettled: readAgain,
  });
  const isOwn = (account: string | null) => account?.toLowerCase() === wallet?.address.toLowerCase();
  const hasSigned = approvals.some(({ signer, counts }) => counts && isOwn(signer));
  const isPending = status === "scheduled" || status === "ready";
  const canCancel =
    status === "collecting"
      ? isOwn(proposer) || part === "guardian"
      : isPending && part !== "none" && part !== undefined;
  return (
    <Stack gap="sm" align="flex-start">
      <Group>
        {status === "collecting" && part === "member" && !hasSigned && (
          <Button onClick={() => sign.mutate()} loading={sign.isPending}>
            {t("admin.council.approve")}
          </Button>
        )}
        {status === "ready" && (
          <Button onClick={() => execute.mutate()} loading={execute.isPending}>
            {t("admin.council.execute")}
          </Button>
        )}
        {canCancel && (
          <Button color="red" variant="outline" onClick={() => setCancelling(true)}>
            {t("admin.council.cancel")}
          </Button>
        )}
      </Group>
      {sign.isError && <ErrorNotice error={sign.error} />}
      {execute.isError && <ErrorNotice error={execute.error} />}
      {isCancelling && <CancelDialog id={id} onClose={() => setCancelling(false)} />}
    </Stack>
  );
}

function CancelDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const part = useCouncilPart();
  const work = useMutation({
    mutationFn: () => cancel(id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["admin", "council"] });
      onClose();
    },
  });
  return (
    <Dialog title={t("admin.council.cancel")} onClose={onClose}>
      <ConfirmForm work={work} submit={t("admin.council.cancel")} onCancel={onClose}>
        {t(part === "guardian" ? "admin.council.cancelGuardian" : "admin.council.cancelMember")}
      </ConfirmForm>
    </Dialog>
  );
}
