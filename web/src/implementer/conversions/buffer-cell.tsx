import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Day } from "../../show/moment.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import type { Conversion } from "./conversion.ts";

/** What the invalidation buffer holds of a conversion and until when; anyone may settle what is due. */
export function BufferCell({ conversion: { conversionId, buffer } }: { conversion: Conversion }) {
  const { t } = useTranslation();
  const path = { conversionId };
  const settle = useMutation({
    mutationFn: () =>
      buffer !== null && buffer.dueToCancel > 0
        ? hearth.post("/v1/itmo/conversions/{conversionId}/buffer/cancellation", { path })
        : hearth.post("/v1/itmo/conversions/{conversionId}/buffer/release", { path }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["implementer", "conversions"] }),
  });
  if (buffer === null) return t("common.none");
  const action = buffer.dueToCancel > 0 ? "cancel" : buffer.status === "releasable" ? "release" : undefined;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text span size="sm">
          {t("implementer.conversions.buffer.held", { count: buffer.held })}
        </Text>
        <StateBadge kind="buffer" state={buffer.status} />
      </Group>
      {buffer.status === "held" && (
        <Text size="sm" c="dimmed">
          {t("implementer.conversions.buffer.until")} <Day at={buffer.heldUntil} />
        </Text>
      )}
      {buffer.waitingFor.length > 0 && <Text size="sm">{buffer.waitingFor.join(", ")}</Text>}
      {action !== undefined && (
        <Button
          size="compact-sm"
          variant="default"
          loading={settle.isPending}
          aria-label={`${t(`implementer.conversions.buffer.${action}`)} ${conversionId}`}
          onClick={() => settle.mutate()}
        >
          {t(`implementer.conversions.buffer.${action}`)}
        </Button>
      )}
      {settle.isError && <ErrorNotice error={settle.error} />}
    </Stack>
  );
}
