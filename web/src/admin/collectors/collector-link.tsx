import { Group, Image, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";

type CollectorLinkProps = {
  collector: Pick<Schemas["CreatedCollector"], "name" | "url" | "qrCode" | "digestUrl" | "username" | "password">;
  onClose: () => void;
};

/** The QR code that sets up ODK Collect, the server's URL for Enketo, and a password to type. They are shown once. */
export function CollectorLink({ collector, onClose }: CollectorLinkProps) {
  const { t } = useTranslation();
  const { name, url, qrCode, digestUrl, username, password } = collector;
  const typed = [
    [t("admin.collectors.server"), digestUrl],
    [t("admin.collectors.username"), username],
    [t("admin.collectors.password"), password],
  ] as const;
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
        <Text size="sm">{t("admin.collectors.passwordHint")}</Text>
        {typed.map(([label, value]) => (
          <Group key={label} role="group" aria-label={label} gap="xs" justify="center">
            <Text size="sm" fw={600}>
              {label}
            </Text>
            <CodeValue value={value} />
          </Group>
        ))}
      </Stack>
    </Dialog>
  );
}
