import { Button, Group, List, PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { Moment } from "../../show/moment.tsx";

const keyOf = (did: string) => ["implementer", "pin", did];

/** Whether a household has a PIN, who set it, and a dialog in which the household types another one. */
export function HouseholdPin({ did }: { did: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: keyOf(did),
    queryFn: ({ signal }) => hearth.get("/v1/households/{did}/pin", { path: { did }, signal }),
  });
  if (error !== null) return <ErrorNotice error={error} />;
  if (data === undefined) return <Loading />;
  const { isSet, lockedUntil, lockedForAll, lockedFor, triesLeft, changes } = data;
  return (
    <>
      <Text>
        {!isSet && t("implementer.access.noPin")}
        {isSet && !lockedForAll && t("implementer.access.pinSet", { tries: triesLeft })}
        {lockedForAll && lockedUntil !== null && (
          <>
            {t("implementer.access.pinLocked")} <Moment at={lockedUntil} />
          </>
        )}
      </Text>
      {!lockedForAll &&
        lockedFor.map(({ caller, until }) => (
          <Text key={caller}>
            {t("implementer.access.pinLockedFor", { caller })} <Moment at={until} />
          </Text>
        ))}
      {changes.length > 0 && (
        <List size="sm">
          {changes.map(({ at, reason }) => (
            <List.Item key={at}>
              <Moment at={at} /> {reason ?? t("implementer.access.firstPin")}
            </List.Item>
          ))}
        </List>
      )}
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          {t(isSet ? "implementer.access.resetPin" : "implementer.access.setPin")}
        </Button>
      </Group>
      {isOpen && <PinDialog did={did} isSet={isSet} onClose={() => setOpen(false)} />}
    </>
  );
}

type PinDialogProps = { did: string; isSet: boolean; onClose: () => void };

function PinDialog({ did, isSet, onClose }: PinDialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { pin: "", again: "", reason: "" },
    validate: {
      pin: (pin) => (/^\d{4,6}$/.test(pin) ? null : t("implementer.access.wrongPin")),
      again: (again, { pin }) => (again === pin ? null : t("implementer.access.differentPin")),
    },
  });
  const set = useMutation({
    mutationFn: ({ pin, reason }: typeof form.values) =>
      hearth.put("/v1/households/{did}/pin", {
        path: { did },
        body: { pin, ...(isSet ? { reason: reason.trim() } : {}) },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keyOf(did) });
      onClose();
    },
  });
  const { pin, again, reason } = form.values;
  const digits = { inputMode: "numeric" as const, maxLength: 6, autoComplete: "off", required: true };
  return (
    <Dialog title={t(isSet ? "implementer.access.resetPin" : "implementer.access.setPin")} onClose={onClose}>
      <Form
        form={form}
        work={set}
        submit={t("implementer.access.savePin")}
        canSubmit={pin !== "" && again !== "" && (!isSet || reason.trim() !== "")}
        onCancel={onClose}
      >
        <Text size="sm">{t("implementer.access.pinHint")}</Text>
        <PasswordInput
          label={t("implementer.access.newPin")}
          {...digits}
          data-autofocus
          {...form.getInputProps("pin")}
        />
        <PasswordInput label={t("implementer.access.pinAgain")} {...digits} {...form.getInputProps("again")} />
        {isSet && (
          <TextInput label={t("implementer.cards.reason")} required maxLength={500} {...form.getInputProps("reason")} />
        )}
      </Form>
    </Dialog>
  );
}
