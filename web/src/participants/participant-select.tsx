import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";
import { LazySelect } from "../show/lazy-select.tsx";
import { chooseParticipant, type Kind, useParticipants } from "./use-participant.ts";

/** Choose whom to act for. */
export function ParticipantSelect({ kind, did }: { kind: Kind; did: string | undefined }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useParticipants(kind, true);
  if (error !== null && data === undefined) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <LazySelect
      label={t(`${kind}.choose.label`)}
      data={(data ?? []).map((each) => ({ value: each.did, label: `${each.name} (${each.did})` }))}
      value={did ?? null}
      onChange={(chosen) => chooseParticipant(kind, chosen)}
      maw={480}
    />
  );
}
