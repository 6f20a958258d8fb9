import { Group, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Kind } from "../../participants/use-participant.ts";
import { RecordsPage } from "../records/records-page.tsx";
import { ParticipantList } from "./participant-list.tsx";
import { RegisterDialog } from "./register-dialog.tsx";

const kinds = ["implementer", "supplier"] as const satisfies readonly Kind[];

/** Register implementers and suppliers, and list them. */
export function ParticipantsPage() {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>("implementer");
  return (
    <RecordsPage
      title={t("nav.admin.participants")}
      lead={t("admin.participants.lead")}
      add={t(`admin.participants.register.${kind}`)}
      dialog={(close) => <RegisterDialog kind={kind} onClose={close} />}
    >
      <Group>
        <SegmentedControl
          data={kinds.map((value) => ({ value, label: t(`admin.participants.kind.${value}`) }))}
          value={kind}
          onChange={(chosen) => setKind(chosen as Kind)}
          aria-label={t("nav.admin.participants")}
        />
      </Group>
      <ParticipantList kind={kind} />
    </RecordsPage>
  );
}
