import type { SelectProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Kind, useParticipants } from "../../participants/use-participant.ts";
import { LazySelect } from "../../show/lazy-select.tsx";

/** Choose the supplier or implementer for whom the invited person acts. */
export function ParticipantField({ kind, ...input }: { kind: Kind } & Omit<SelectProps, "data" | "value">) {
  const { t } = useTranslation();
  const { data: participants = [] } = useParticipants(kind, true);
  return (
    <LazySelect
      label={t(`people.${kind}`)}
      description={t("people.participantHint")}
      data={participants.map((each) => ({ value: each.did, label: each.name }))}
      nothingFoundMessage={t("people.noParticipant")}
      required
      w={{ base: "100%", xs: 260 }}
      {...input}
    />
  );
}
