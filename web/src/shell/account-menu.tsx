import { Button, Menu, Text } from "@mantine/core";
import { IconLogin2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { endGuestSession, signOut, useSession } from "../session/session.ts";

const Standings = lazy(async () => ({ default: (await import("./standings.tsx")).Standings }));

/** Shows who is signed in, and signs out. */
export function AccountMenu() {
  const { t } = useTranslation();
  const { key, wallet } = useSession();
  const standing = key?.standing;
  const label = standing ? t(`shell.standing.${standing.actsAs}`) : t(`shell.role.${key?.holder.role ?? "guest"}`);
  const did = standing?.did ?? key?.holder.supplierDid ?? key?.holder.implementerDid;
  const keyId = standing === undefined ? key?.holder.id : undefined;
  const isGuest = key === undefined;
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button variant="subtle" color="gray" px="xs" aria-label={label}>
          <IconUserCircle size={20} aria-hidden />
          <Text span size="sm" fw={600} ml={8} visibleFrom="xs">
            {label}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("shell.account")}</Menu.Label>
        {[did, keyId, wallet?.address].map(
          (each) =>
            each && (
              <Text key={each} size="xs" px="sm" py={2} ff="monospace" style={{ overflowWrap: "anywhere" }}>
                {each}
              </Text>
            ),
        )}
        {standing !== undefined && (
          <Suspense>
            <Standings standing={standing} />
          </Suspense>
        )}
        <Menu.Divider />
        <Menu.Item
          leftSection={isGuest ? <IconLogin2 size={16} /> : <IconLogout size={16} />}
          onClick={() => (isGuest ? endGuestSession() : void signOut())}
        >
          {t(isGuest ? "shell.signIn.title" : "shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
