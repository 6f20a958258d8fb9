import { Alert, Card, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { isOffline } from "../../api/error.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Day } from "../../show/moment.tsx";
import { StatusBadge } from "../../show/status-badge.tsx";
import { useVoucher } from "./use-voucher.ts";

/** The voucher's balance; without a network, a note that it will be checked later. */
export function VoucherCard({ voucherId, isOnline }: { voucherId: string; isOnline: boolean }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useVoucher(voucherId);
  const isOut = !isOnline || isOffline(error);
  if (data === undefined && isOut) {
    return (
      <Alert color="yellow" title={voucherId}>
        {t("supplier.redeem.unseen")}
      </Alert>
    );
  }
  if (data === undefined)
    return error === null ? <Loading /> : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Card withBorder padding="md" aria-label={t("supplier.redeem.voucher")} role="group">
      <Stack gap={6}>
        <Group justify="space-between">
          <CodeValue value={data.id} />
          <StatusBadge status={data.status} label={t(`supplier.voucherStatus.${data.status}`)} />
        </Group>
        <Text size="sm" c="dimmed">
          {t("supplier.redeem.remaining")}
        </Text>
        <Text size="xl" fw={700}>
          <Amount value={data.remainingBalance} unit="carbon" />
        </Text>
        <Text size="sm">
          {t("supplier.redeem.validUntil")} <Day at={data.attributes.expiryDate} />
        </Text>
      </Stack>
    </Card>
  );
}
