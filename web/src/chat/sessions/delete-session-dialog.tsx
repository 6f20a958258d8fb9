import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Dialog } from "../../show/dialog.tsx";

type DeleteProps = { title: string; onDelete: () => void; onClose: () => void };

/** Ask before a conversation is deleted. */
export function DeleteSessionDialog({ title, onDelete, onClose }: DeleteProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("chat.sessions.deleteTitle")} onClose={onClose}>
      <Text mb="md">{t("chat.sessions.deleteLead", { title })}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t("common.cancel")}
        </Button>
        <Button color="red" onClick={onDelete}>
          {t("chat.sessions.deleteConfirm")}
        </Button>
      </Group>
    </Dialog>
  );
}
