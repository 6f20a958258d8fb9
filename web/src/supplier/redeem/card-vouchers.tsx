import { Alert, Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Amount } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Day } from "../../show/moment.tsx";

/** The vouchers of a household's card, to choose one. */
export function CardVouchers({ code, onVoucher }: { code: string; onVoucher: (voucherId: string) => void }) {
  const { t } = useTranslation();
  const card = useQuery({
    queryKey: ["supplier", "card", code],
    staleTime: 0,
    queryFn: ({ signal }) => hearth.post("/v1/cards/lookup", { body: { code }, signal }),
  });
  if (card.isPending) return <Loading />;
  if (card.isError) return <ErrorNotice error={card.error} onRetry={() => void card.refetch()} />;
  const { status, vouchers } = card.data;
  if (status !== "active") return <Alert color="orange">{t(`supplier.card.${status}`)}</Alert>;
  if (vouchers.length === 0) return <Alert color="orange">{t("supplier.card.empty")}</Alert>;
  return (
    <Stack gap="xs">
      <Text size="sm">{t("supplier.card.choose")}</Text>
      {vouchers.map(({ id, remainingBalance, expiryDate }) => (
        <Button
          key={id}
          variant="default"
          justify="space-between"
          rightSection={<Day at={expiryDate} />}
          onClick={() => onVoucher(id)}
        >
          <Amount value={remainingBalance} unit="carbon" />
        </Button>
      ))}
    </Stack>
  );
}
