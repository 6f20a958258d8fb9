import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ParticipantSelect } from "./participant-select.tsx";
import { type Kind, useParticipantDid, useParticipants } from "./use-participant.ts";

/** Render a page for a supplier or implementer; the user of a key without one chooses whom to act for. */
export function ParticipantGate({ kind, children }: { kind: Kind; children: (did: string) => ReactNode }) {
  const { did, isOwn } = useParticipantDid(kind);
  return (
    <>
      {!isOwn && <ParticipantSelect kind={kind} did={did} />}
      {did === undefined ? <NoParticipant kind={kind} /> : children(did)}
    </>
  );
}

/** Ask the user to choose a participant; when none is registered, say how to register one. */
function NoParticipant({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  const { data } = useParticipants(kind, true);
  if (data?.length !== 0) return <EmptyNotice text={t(`${kind}.choose.none`)} />;
  return (
    <EmptyNotice text={t(`${kind}.choose.unregistered`)}>
      <Anchor component={Link} to="/admin/participants">
        {t("nav.admin.participants")}
      </Anchor>
    </EmptyNotice>
  );
}
