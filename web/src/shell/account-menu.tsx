import { Button, Text } from "@mantine/core";
import { IconBell, IconDevices, IconFingerprint, IconLogin2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { endGuestSession, signOut, useSession } from "../session/session.ts";
import { LazyMenu } from "../show/lazy-menu.tsx";
import type { MenuEntry } from "../show/opened-menu.tsx";
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
  const entries: MenuEntry[] = [
    ...(canBeNotified
      ? [
          {
            label: t("shell.notifications.title"),
            icon: <IconBell size={16} />,
            onClick: () => setOpened("notifications"),
          },
        ]
      : []),
    ...(canAddDevice
      ? [
          { label: t("shell.device.title"), icon: <IconDevices size={16} />, onClick: () => setOpened("device") },
          {
            label: t("shell.passkey.title"),
            icon: <IconFingerprint size={16} />,
            onClick: () => setOpened("passkeys"),
          },
        ]
      : []),
    isGuest
      ? { label: t("shell.signIn.title"), icon: <IconLogin2 size={16} />, onClick: endGuestSession }
      : { label: t("shell.signOut"), icon: <IconLogout size={16} />, onClick: () => void signOut() },
  ];
  return (
    <>
      <LazyMenu
        width={280}
        target={
          <Button variant="subtle" color="gray" px="xs" aria-label={label}>
            <IconUserCircle size={20} aria-hidden />
            <Text span size="sm" fw={600} ms={8} visibleFrom="xs">
              {label}
            </Text>
          </Button>
        }
        title={t("shell.account")}
        details={
          <>
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
          </>
        }
        entries={entries}
      />
      <WhenLoaded fallback={null}>
        {opened === "device" && <AddDevice onClose={close} />}
        {opened === "passkeys" && <Passkeys onClose={close} />}
        {opened === "notifications" && <NotificationsDialog onClose={close} />}
      </WhenLoaded>
    </>
  );
}
