import { Button, Menu, Text } from "@mantine/core";
import { IconBell, IconDevices, IconFingerprint, IconLogin2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { endGuestSession, signOut, useSession } from "../session/session.ts";
import { WhenLoaded } from "../show/when-loaded.tsx";

const AddDevice = lazy(async () => ({ default: (await import("./add-device.tsx")).AddDevice }));
const NotificationsDialog = lazy(async () => ({
  default: (await import("./notifications/notifications-dialog.tsx")).NotificationsDialog,
}));
const Passkeys = lazy(async () => ({ default: (await import("./passkeys.tsx")).Passkeys }));
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
  // Only an API key that is bound to a key pair can invite another device.
  const canAddDevice = key?.proof !== undefined && standing === undefined;
  // A wallet's session ends too soon for notifications.
  const canBeNotified = key !== undefined && standing === undefined;
  const [opened, setOpened] = useState<"device" | "notifications" | "passkeys">();
  const close = () => setOpened(undefined);
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>
          <Button variant="subtle" color="gray" px="xs" aria-label={label}>
            <IconUserCircle size={20} aria-hidden />
            <Text span size="sm" fw={600} ms={8} visibleFrom="xs">
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
            <WhenLoaded fallback={null}>
              <Standings standing={standing} />
            </WhenLoaded>
          )}
          <Menu.Divider />
          {canBeNotified && (
            <Menu.Item leftSection={<IconBell size={16} />} onClick={() => setOpened("notifications")}>
              {t("shell.notifications.title")}
            </Menu.Item>
          )}
          {canAddDevice && (
            <Menu.Item leftSection={<IconDevices size={16} />} onClick={() => setOpened("device")}>
              {t("shell.device.title")}
            </Menu.Item>
          )}
          {canAddDevice && (
            <Menu.Item leftSection={<IconFingerprint size={16} />} onClick={() => setOpened("passkeys")}>
              {t("shell.passkey.title")}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={isGuest ? <IconLogin2 size={16} /> : <IconLogout size={16} />}
            onClick={() => (isGuest ? endGuestSession() : void signOut())}
          >
            {t(isGuest ? "shell.signIn.title" : "shell.signOut")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <WhenLoaded fallback={null}>
        {opened === "device" && <AddDevice onClose={close} />}
        {opened === "passkeys" && <Passkeys onClose={close} />}
        {opened === "notifications" && <NotificationsDialog onClose={close} />}
      </WhenLoaded>
    </>
  );
}
