import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isCodeLost } from "../offline/new-version.ts";
import { ErrorNotice } from "../show/error-notice.tsx";

/** Shown in place of a page that threw, or whose code could not be loaded. */
export function PageFailure({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Text>{t("common.error.unexpected")}</Text>
      {/* A browser remembers that a file could not be loaded, until the page is loaded again. */}
      <ErrorNotice error={error} onRetry={isCodeLost(error) ? () => window.location.reload() : reset} />
    </Stack>
  );
}
