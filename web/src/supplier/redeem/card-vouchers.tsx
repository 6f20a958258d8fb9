import { Alert, Button, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "../../show/amount.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Day } from "../../show/moment.tsx";
import { useCard } from "./use-card.ts";

/** The vouchers of a household's card, to choose one. */
export function CardVouchers({ code, onVoucher }: { code: string; onVoucher: (voucherId: string) => void }) {
  const { t } = useTranslation();
  const card = useCard(code);
  if (card.isPending) return <Loading />;
  if (card.isError) return <ErrorNotice error={card.error} onRetry={() => void card.refetch()} />;
  if (card.data === "unseen") return <Alert color="orange">{t("supplier.card.unseen")}</Alert>;
  const { status, vouchers, isKept } = card.data;
  if (status !== "active") return <Alert color="orange">{t(`supplier.card.${status}`)}</Alert>;
  if (vouchers.length === 0) return <Alert color="orange">{t("supplier.card.empty")}</Alert>;
  return (
    <Stack gap="xs">
      {isKept && <Alert color="yellow">{t("supplier.card.kept")}</Alert>}
      <Text size="sm">{t("supplier.card.choose")}</Text>
      {vouchers.map(({ id, balance, expiryDate }) => (
        <Button
          key={id}
          variant="default"
          justify="space-between"
          rightSection={<Day at={expiryDate} />}
          onClick={() => onVoucher(id)}
        >
          <Amount value={balance} unit="carbon" />
        </Button>
      ))}
    </Stack>
  );
}
