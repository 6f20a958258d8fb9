import { Image, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { Moment } from "../../show/moment.tsx";

type InvitationLinkProps = {
  invitation: Pick<Schemas["CreatedInvitation"], "url" | "expiresAt" | "key">;
  onClose: () => void;
};

/** The link of a new invitation, as text and as a QR code to scan with the other device. */
export function InvitationLink({ invitation: { url, expiresAt, key }, onClose }: InvitationLinkProps) {
  const { t } = useTranslation();
  const { data: picture } = useQuery({
    queryKey: ["admin", "qr", url],
    gcTime: 0,
    queryFn: async () => {
      const { toDataURL } = await import("qrcode");
      return await toDataURL(url, { margin: 2, width: 480 });
    },
  });
  return (
    <Dialog title={t("people.linkTitle", { name: key.name })} onClose={onClose}>
      <Stack align="center">
        <Text size="sm">{t("people.linkHint")}</Text>
        {picture !== undefined && <Image src={picture} alt={t("people.qr")} w={240} h={240} />}
        <CodeValue value={url} />
        <Text size="sm">
          {t("people.linkUntil")} <Moment at={expiresAt} />
        </Text>
      </Stack>
    </Dialog>
  );
}
