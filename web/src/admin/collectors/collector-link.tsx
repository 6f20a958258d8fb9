import { Image, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";

type CollectorLinkProps = {
  collector: Pick<Schemas["CreatedCollector"], "name" | "url" | "qrCode">;
  onClose: () => void;
};

/** The QR code that sets up ODK Collect, and the server's URL for Enketo. Both are shown once. */
export function CollectorLink({ collector: { name, url, qrCode }, onClose }: CollectorLinkProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={t("admin.collectors.linkTitle", { name })} onClose={onClose}>
      <Stack align="center">
        <Text size="sm">{t("admin.collectors.linkHint")}</Text>
        <Image
          src={`data:image/svg+xml,${encodeURIComponent(qrCode)}`}
          alt={t("admin.collectors.qr")}
          w={280}
          h={280}
          bg="white"
        />
        <Text size="sm">{t("admin.collectors.urlHint")}</Text>
        <CodeValue value={url} />
      </Stack>
    </Dialog>
  );
}
