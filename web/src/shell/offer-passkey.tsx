import { Alert, Button, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { passkeyOffer } from "../session/can-use-passkeys.ts";
import { keep } from "../session/vault.ts";
import { Passkeys } from "./passkeys.tsx";

/** Offers a passkey to a person who has just joined, who otherwise depends on this browser's data. */
export function OfferPasskey() {
  const { t } = useTranslation();
  const [state, setState] = useState<"offered" | "open" | "ended">("offered");
  const end = () => {
    keep(passkeyOffer, undefined);
    setState("ended");
  };
  if (state === "ended") return null;
  return (
    <>
      <Alert
        color="teal"
        title={t("shell.passkey.offer")}
        withCloseButton
        closeButtonLabel={t("common.close")}
        onClose={end}
      >
        <Text size="sm" mb="sm">
          {t("shell.passkey.lead")}
        </Text>
        <Button variant="default" onClick={() => setState("open")}>
          {t("shell.passkey.create")}
        </Button>
      </Alert>
      {state === "open" && <Passkeys onClose={end} />}
    </>
  );
}
