import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Identity } from "../identity/identity-store.ts";
import { CodeValue } from "../show/code-value.tsx";
import { Dialog } from "../show/dialog.tsx";
import { MintForm } from "./mint-card.tsx";

type ShareProps = { identity: Identity; path: string; publicUrl?: string | undefined; onClose: () => void };

/** Share a file or folder: its public address if there is one, else a token for it alone. */
export function ShareDialog({ identity, path, publicUrl, onClose }: ShareProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("files.share.title", { path })} size="lg" onClose={onClose}>
      <Stack>
        {publicUrl !== undefined && (
          <div>
            <Text size="sm">{t("files.share.public")}</Text>
            <CodeValue value={publicUrl} />
          </div>
        )}
        <Text size="sm" c="dimmed">
          {t("files.share.lead")}
        </Text>
        <MintForm identity={identity} path={path} />
      </Stack>
    </Dialog>
  );
}
