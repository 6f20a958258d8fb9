import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";

/** Shown in place of a page that threw, or whose code could not be loaded. */
export function PageFailure({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Text>{t("common.error.unexpected")}</Text>
      <ErrorNotice error={error} onRetry={reset} />
    </Stack>
  );
}
