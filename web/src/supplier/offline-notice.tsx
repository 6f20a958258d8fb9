import { Alert } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { IconWifiOff } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { keepForOffline } from "./keep-for-offline.ts";

/** Says when there is no network; the first time that there is one, the pages are kept for when there is none. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const { online } = useNetwork();
  useEffect(() => {
    if (online) void keepForOffline();
  }, [online]);
  if (online) return null;
  return (
    <Alert color="yellow" icon={<IconWifiOff aria-hidden />} title={t("supplier.offline.title")} role="status">
      {t("supplier.offline.text")}
    </Alert>
  );
}
