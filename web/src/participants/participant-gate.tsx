import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { chooseParticipant, type Kind, useParticipantDid, useParticipants } from "./use-participant.ts";

/** What a page of a supplier or an implementer shows, once it is known for whom; who is nobody's own may choose. */
export function ParticipantGate({ kind, children }: { kind: Kind; children: (did: string) => ReactNode }) {
  const { t } = useTranslation();
  const { did, isOwn } = useParticipantDid(kind);
  return (
    <>
      {!isOwn && <ParticipantSelect kind={kind} did={did} />}
      {did === undefined ? <EmptyNotice text={t(`${kind}.choose.none`)} /> : children(did)}
    </>
  );
}

function ParticipantSelect({ kind, did }: { kind: Kind; did: string | undefined }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useParticipants(kind, true);
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Select
      label={t(`${kind}.choose.label`)}
      data={(data ?? []).map((each) => ({ value: each.did, label: `${each.name} (${each.did})` }))}
      value={did ?? null}
      onChange={(chosen) => chooseParticipant(kind, chosen)}
      searchable
      maw={480}
    />
  );
}
