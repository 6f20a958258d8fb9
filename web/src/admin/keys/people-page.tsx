import { Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PageFrame } from "../../show/page-frame.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { InviteForm } from "./invite-form.tsx";
import { KeyList } from "./key-list.tsx";

/** Invite people, and list and revoke invitations and API keys. */
export function PeoplePage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.admin.people")} lead={t("people.lead")}>
      <InviteForm />
      <Title order={2} size="h4">
        {t("people.invitations")}
      </Title>
      <InvitationList />
      <Title order={2} size="h4">
        {t("people.keys")}
      </Title>
      <KeyList />
    </PageFrame>
  );
}
