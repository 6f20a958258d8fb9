import { Alert, Anchor, Group, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Identity } from "./identity-store.ts";

/** Warn that the files cannot be opened after the tab closes unless the key is saved. */
export function KeyNotice({ identity }: { identity: Identity }) {
  const { t } = useTranslation();
  if (identity.keeping === "device") return null;
  return (
    <Alert color="yellow" variant="light" p="xs" icon={<IconKey aria-hidden />}>
      <Group gap="xs">
        <Text size="sm">{t("files.key.inTab")}</Text>
        <Anchor component={Link} to="/files/keys" size="sm" underline="always" c="var(--mantine-color-text)">
          {t("files.key.manage")}
        </Anchor>
      </Group>
    </Alert>
  );
}
