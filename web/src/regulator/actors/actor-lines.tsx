import { Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { hearth } from "../../api/client.ts";
import { useSession } from "../../session/session.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";

/** Who acted for the household in a redemption. It is not on chain, so only people with a key that may see the redemption read it. */
export function ActorLines({ redemptionId }: { redemptionId: string }) {
  const { t } = useTranslation();
  const { key } = useSession();
  const redemption = useQuery({
    queryKey: ["redemption", redemptionId],
    queryFn: ({ signal }) =>
      hearth.get("/v1/redemptions/{redemptionId}", { path: { redemptionId }, signal }).catch((error: unknown) => {
        // The key may not see it.
        if (error instanceof HearthError && (error.status === 403 || error.status === 404)) return null;
        throw error;
      }),
    enabled: key !== undefined,
  });
  if (redemption.isError) return <ErrorNotice error={redemption.error} onRetry={() => void redemption.refetch()} />;
  const acted = redemption.data?.actedBy;
  if (acted == null) return null;
  return (
    <>
      <Title order={3} size="h6">
        {t("traced.actor.title")}
      </Title>
      <Table withRowBorders={false} layout="fixed" verticalSpacing={4}>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row" fw={500} w="42%">
              {t("traced.actor.channelColumn")}
            </Table.Th>
            <Table.Td>{t(`traced.actor.channel.${acted.channel}`)}</Table.Td>
          </Table.Tr>
          {acted.caller !== null && (
            <Table.Tr>
              <Table.Th scope="row" fw={500}>
                {t("traced.actor.caller")}
              </Table.Th>
              <Table.Td>
                <Text size="sm" ff="monospace" translate="no" style={{ overflowWrap: "anywhere" }}>
                  {acted.caller}
                </Text>
              </Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </>
  );
}
