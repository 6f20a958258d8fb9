import { Alert, Button, Group, SimpleGrid } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { useTranslation } from "react-i18next";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { isRemembered } from "../../session/session.ts";
import { EmptyNotice } from "../../show/empty-notice.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { OfflineNotice } from "../offline-notice.tsx";
import { EntryCard } from "./entry-card.tsx";
import { settleNow, useQueue, useSettling } from "./use-queue.ts";

/** The orders authorised on this device: waiting, settled, refused. */
export function QueuePage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.supplier.queue")} lead={t("supplier.queue.lead")}>
      <ParticipantGate kind="supplier">{(did) => <Queue supplierDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Queue({ supplierDid }: { supplierDid: string }) {
  const { t } = useTranslation();
  const { online } = useNetwork();
  useSettling(supplierDid);
  const { entries, isSettling, isRead, problem } = useQueue(supplierDid);
  if (!isRead) return <Loading />;
  const isWaiting = entries.some(({ state }) => state === "waiting");
  return (
    <>
      <OfflineNotice />
      {problem !== undefined && <ErrorNotice error={problem} onRetry={() => void settleNow(supplierDid)} />}
      {isWaiting && !isRemembered() && <Alert color="yellow">{t("supplier.queue.tabOnly")}</Alert>}
      {isWaiting && (
        <Group>
          <Button disabled={!online} loading={isSettling} onClick={() => void settleNow(supplierDid)}>
            {t("supplier.queue.settle")}
          </Button>
        </Group>
      )}
      {entries.length === 0 && <EmptyNotice text={t("supplier.queue.empty")} />}
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
        {entries.toReversed().map((entry) => (
          <EntryCard key={entry.id} entry={entry} />
        ))}
      </SimpleGrid>
    </>
  );
}
