import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";

type OpenOrderProps = {
  /** Description of the order. */
  children: ReactNode;
  isPending: boolean;
  error: Error | null;
  onAgain: () => void;
};

/** Shown instead of the form while the result of the last order is unknown. */
export function OpenOrder({ children, isPending, error, onAgain }: OpenOrderProps) {
  const { t } = useTranslation();
  return (
    <Stack maw={640}>
      <Alert color="orange" title={t("implementer.order.open")}>
        <Stack gap="sm" align="flex-start">
          <Text fw={600}>{children}</Text>
          <Text size="sm">{t("implementer.order.hint")}</Text>
          <Button loading={isPending} onClick={onAgain}>
            {t("implementer.order.again")}
          </Button>
        </Stack>
      </Alert>
      {error !== null && !isPending && <ErrorNotice error={error} />}
    </Stack>
  );
}
