import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { queryClient } from "../../api/query-client.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { pausePool, propose } from "./sign-decision.ts";
import { useCouncil, useCouncilPart } from "./use-council.ts";

/** Says whether the pool is open. The guardian pauses it immediately; the council decides when it reopens. */
export function PoolSwitch() {
  const { t } = useTranslation();
  const { data } = useCouncil();
  const part = useCouncilPart();
  const [isOpen, setOpen] = useState(false);
  if (data === undefined) return null;
  const isPaused = data.state.paused === true;
  return (
    <Alert color={isPaused ? "orange" : "teal"} title={t(isPaused ? "admin.pool.paused" : "admin.pool.open")}>
      <Group justify="space-between">
        <Text size="sm">{t(isPaused ? "admin.pool.pausedHint" : "admin.pool.openHint")}</Text>
        {part === (isPaused ? "member" : "guardian") && (
          <Button color={isPaused ? "teal" : "red"} onClick={() => setOpen(true)}>
            {t(isPaused ? "admin.pool.reopen" : "admin.pool.pause")}
          </Button>
        )}
      </Group>
      {isOpen && <SwitchDialog isPaused={isPaused} onClose={() => setOpen(false)} />}
    </Alert>
  );
}

function SwitchDialog({ isPaused, onClose }: { isPaused: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const title = t(isPaused ? "admin.pool.reopen" : "admin.pool.pause");
  const change = useMutation({
    mutationFn: () => (isPaused ? propose({ action: "unpause" }) : pausePool()),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["admin", "council"] });
      onClose();
    },
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <ConfirmForm work={change} submit={title} color={isPaused ? "teal" : "red"} onCancel={onClose}>
        {t(isPaused ? "admin.pool.reopenConfirm" : "admin.pool.pauseConfirm")}
      </ConfirmForm>
    </Dialog>
  );
}
