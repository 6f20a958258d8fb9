import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconWallet } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { queryClient } from "../../api/query-client.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import type { RedemptionBody } from "../household-authorization.ts";

type WalletButtonProps = { body: () => Promise<RedemptionBody | undefined>; onRedeemed: () => void };

/** Redeem with the supplier's own wallet, which signs and sends. `body` returns undefined while the form is incomplete. */
export function WalletButton({ body, onRedeemed }: WalletButtonProps) {
  const { t } = useTranslation();
  const redeem = useMutation({
    mutationFn: async () => {
      const order = await body();
      if (order === undefined) return null;
      const { redeemByWallet } = await import("../by-wallet.ts");
      return await redeemByWallet(order);
    },
    onSuccess: (redemptionId) => {
      if (redemptionId === null) return;
      onRedeemed();
      void queryClient.invalidateQueries({ queryKey: ["supplier"] });
    },
  });
  if (redeem.data != null) return <Redeemed redemptionId={redeem.data} />;
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        size="md"
        leftSection={<IconWallet size={18} aria-hidden />}
        loading={redeem.isPending}
        onClick={() => redeem.mutate()}
      >
        {t("supplier.wallet.redeem")}
      </Button>
      <Text size="xs" c="dimmed">
        {t("supplier.wallet.hint")}
      </Text>
      {redeem.isError && <ErrorNotice error={redeem.error} />}
    </Stack>
  );
}

function Redeemed({ redemptionId }: { redemptionId: string }) {
  const { t } = useTranslation();
  return (
    <Alert color="teal" role="status" title={t("supplier.queue.settledTitle")}>
      <Stack gap="xs">
        <CodeValue value={redemptionId} />
        <Group>
          <Button component={Link} to={`/supplier/claim/${redemptionId}`} size="xs">
            {t("supplier.queue.claim")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
