import { Accordion, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Identity } from "../../identity/identity-store.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { MintForm } from "../tokens/mint-card.tsx";
import { LinkForm } from "./link-form.tsx";
import { LinkList } from "./link-list.tsx";

type ShareProps = { identity: Identity; path: string; publicUrl?: string | undefined; onClose: () => void };

/** Share a file or folder: its public address if there is one, links for people, and tokens for programs. */
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
        <LinkForm identity={identity} path={path} />
        <LinkList identity={identity} path={path} />
        <Accordion variant="contained">
          <Accordion.Item value="token">
            <Accordion.Control>{t("files.share.token")}</Accordion.Control>
            <Accordion.Panel>
              <Text size="sm" c="dimmed" mb="sm">
                {t("files.share.lead")}
              </Text>
              <MintForm identity={identity} path={path} />
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      </Stack>
    </Dialog>
  );
}
