import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { kannelFields, urlsOf } from "./gateway-fields.ts";

type GatewayUrlsProps = { gateway: Schemas["CreatedPhoneGateway"]; onClose: () => void };

/** The URLs to enter at the provider. They are shown once. */
export function GatewayUrls({ gateway, onClose }: GatewayUrlsProps) {
  const { t } = useTranslation();
  const { kind } = gateway;
  return (
    <Dialog title={t("admin.gateways.urlsTitle")} onClose={onClose} size="lg">
      <Stack>
        <Text size="sm">{t("admin.gateways.urlsHint")}</Text>
        {urlsOf[kind].map((name) => (
          <Stack key={name} gap={4}>
            <Text size="sm" fw={600}>
              {t(`admin.gateways.${name}`)}
            </Text>
            <CodeValue value={kind === "kannel" ? gateway[name] + kannelFields : gateway[name]} />
          </Stack>
        ))}
      </Stack>
    </Dialog>
  );
}
