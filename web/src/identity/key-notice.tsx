import { Alert, Anchor, Group, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useStore } from "../session/use-store.ts";
import { identityStore } from "./identity.ts";

/** Warn that the files cannot be opened after the tab closes unless the key is saved. It is shown before the key is loaded. */
export function KeyNotice() {
  const { t } = useTranslation();
  const keeping = useStore(identityStore.subscribe, identityStore.keeping);
  if (keeping === "device") return null;
  return (
    <Alert color="yellow" variant="light" p="xs" icon={<IconKey aria-hidden />} data-unless-kept>
      <Group gap="xs">
        <Text size="sm">{t("files.key.inTab")}</Text>
        <Anchor component={Link} to="/files/keys" size="sm" underline="always" c="var(--mantine-color-text)">
          {t("files.key.manage")}
        </Anchor>
      </Group>
    </Alert>
  );
}
