import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import type { OrderCancellation } from "./use-order.ts";

const CancelOrderDialog = lazy(() =>
  import("./cancel-order-dialog.tsx").then(({ CancelOrderDialog }) => ({ default: CancelOrderDialog })),
);

type OpenOrderProps = {
  /** Description of the order. */
  children: ReactNode;
  isPending: boolean;
  error: Error | null;
  cancellation: OrderCancellation;
  onAgain: () => void;
  onCancelled: (transactionHash: string) => void;
};

/** Shown instead of the form while the result of the last order is unknown. */
export function OpenOrder({ children, isPending, error, cancellation, onAgain, onCancelled }: OpenOrderProps) {
  const { t } = useTranslation();
  const [isCancelling, setCancelling] = useState(false);
  return (
    <Stack maw={640}>
      <Alert color="orange" title={t("implementer.order.open")}>
        <Stack gap="sm" align="flex-start">
          <Text fw={600}>{children}</Text>
          <Text size="sm">{t("implementer.order.hint")}</Text>
          <Group gap="sm">
            <Button loading={isPending} onClick={onAgain}>
              {t("implementer.order.again")}
            </Button>
            <Button variant="default" disabled={isPending} onClick={() => setCancelling(true)}>
              {t("implementer.order.cancel.open")}
            </Button>
          </Group>
        </Stack>
      </Alert>
      {error !== null && !isPending && <ErrorNotice error={error} />}
      {isCancelling && (
        <WhenLoaded fallback={null}>
          <CancelOrderDialog
            cancellation={cancellation}
            onCancelled={onCancelled}
            onClose={() => setCancelling(false)}
          />
        </WhenLoaded>
      )}
    </Stack>
  );
}

/** Shown above the form once the last order is cancelled. */
export function CancelledOrder({ transactionHash }: { transactionHash: string }) {
  const { t } = useTranslation();
  return (
    <Alert color="teal" role="status" title={t("implementer.order.cancel.done")}>
      <CodeValue value={transactionHash} shorten />
    </Alert>
  );
}
