import { Alert } from "@mantine/core";
import { IconWifiOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useOfflinePages } from "../offline/use-offline-pages.ts";

/** Shown while there is no network. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const online = useOfflinePages();
  if (online) return null;
  return (
    <Alert color="yellow" icon={<IconWifiOff aria-hidden />} title={t("supplier.offline.title")} role="status">
      {t("supplier.offline.text")}
    </Alert>
  );
}
