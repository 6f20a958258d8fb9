import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { canUsePasskeys } from "../session/can-use-passkeys.ts";
import { ErrorNotice } from "../show/error-notice.tsx";

/** Sign in with a passkey, without a key or a link. */
export function PasskeySignIn() {
  const { t } = useTranslation();
  const signIn = useMutation({
    mutationFn: async () => {
      // Loaded when it is used, to keep the first load small.
      const { signInWithPasskey } = await import("../session/passkeys.ts");
      await signInWithPasskey();
    },
  });
  const { hostname, port } = window.location;
  if (!canUsePasskeys()) {
    if (hostname !== "127.0.0.1") return null;
    return (
      <Text size="xs" c="dimmed">
        {t("shell.passkey.local", { url: `http://localhost:${port}/console` })}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Button
        variant="default"
        onClick={() => signIn.mutate()}
        loading={signIn.isPending}
        // A long translation wraps on a phone, where touch.css makes the button higher.
        h="auto"
        py={8}
        styles={{ label: { whiteSpace: "normal" } }}
      >
        {t("shell.passkey.signIn")}
      </Button>
      {signIn.isError && <ErrorNotice error={signIn.error} />}
    </Stack>
  );
}
