import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { InvitationLink } from "../admin/keys/invitation-link.tsx";
import { hearth } from "../api/client.ts";
import { Dialog } from "../show/dialog.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";

/** How long the link for the next device works, in minutes. */
const validMinutes = 15;

/** Invite the person's next device, which gets a key with the same rights. */
export function AddDevice({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const invite = useMutation({
    mutationFn: () => hearth.post("/v1/keys/self/invitations", { body: { validMinutes } }),
  });
  if (invite.data !== undefined) return <InvitationLink invitation={invite.data} onClose={onClose} />;
  return (
    <Dialog title={t("shell.device.title")} onClose={onClose}>
      <Text size="sm" mb="md">
        {t("shell.device.lead")}
      </Text>
      {invite.isError && <ErrorNotice error={invite.error} />}
      <Button onClick={() => invite.mutate()} loading={invite.isPending}>
        {t("shell.device.submit")}
      </Button>
    </Dialog>
  );
}
