import { Button, Menu, Text } from "@mantine/core";
import { IconLogin2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { signOut, useSession } from "../session/session.ts";

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const { t } = useTranslation();
  const { key, wallet } = useSession();
  const role = key?.holder.role ?? "guest";
  const did = key?.holder.supplierDid ?? key?.holder.implementerDid;
  const isGuest = key === undefined && wallet === undefined;
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px="xs" aria-label={t(`shell.role.${role}`)}>
          <IconUserCircle size={20} aria-hidden />
          <Text span size="sm" fw={600} ml={8} visibleFrom="xs">
            {t(`shell.role.${role}`)}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("shell.account")}</Menu.Label>
        {[did, key?.holder.id, wallet?.address].map(
          (each) =>
            each && (
              <Text key={each} size="xs" px="sm" py={2} ff="monospace" style={{ overflowWrap: "anywhere" }}>
                {each}
              </Text>
            ),
        )}
        <Menu.Divider />
        <Menu.Item
          leftSection={isGuest ? <IconLogin2 size={16} /> : <IconLogout size={16} />}
          onClick={() => signOut()}
        >
          {t(isGuest ? "shell.signIn.title" : "shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
