import { type IAttachment, type SendOptions, useModels } from "@hearth/oracles-client-sdk";
import { ActionIcon, Button, Group, NativeSelect, Textarea } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { IconPaperclip, IconPlayerStop, IconSend } from "@tabler/icons-react";
import { type KeyboardEvent, lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../forms/form.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import { keepDraft, readDraft } from "./draft.ts";
import type { OracleAddress } from "./oracle-provider.tsx";

const Attachments = lazy(async () => ({ default: (await import("./attachments.tsx")).Attachments }));
const AttachmentDialog = lazy(async () => ({ default: (await import("./attachment-dialog.tsx")).AttachmentDialog }));

type ComposerProps = OracleAddress & {
  sessionId: string;
  isSending: boolean;
  onSend: (text: string, options: SendOptions) => void;
  onAbort: () => void;
};

/** `model` null: the oracle's default model. */
type Values = { text: string; model: string | null };

/** Message input. Enter sends, Shift+Enter starts a new line; typed text survives a reload. */
export function Composer({ oracleDid, overrides, sessionId, isSending, onSend, onAbort }: ComposerProps) {
  const { t } = useTranslation();
  const { models, defaultModelId } = useModels(oracleDid, overrides);
  const form = useForm<Values>({
    initialValues: { text: readDraft(sessionId), model: null },
    onValuesChange: ({ text }) => keepDraft(sessionId, text),
  });
  const [attachments, setAttachments] = useState<readonly IAttachment[]>([]);
  const [isAttaching, setAttaching] = useState(false);
  const canSend = form.values.text.trim() !== "" && !isSending;
  const send = ({ text, model }: Values) => {
    if (!canSend) return;
    onSend(text, {
      ...(model === null ? {} : { model }),
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
    });
    form.setFieldValue("text", "");
    setAttachments([]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send(form.getValues());
  };
  return (
    <>
      <Form
        form={form}
        work={{ mutate: send, isPending: false, error: null }}
        submit={t("chat.compose.send")}
        gap="xs"
        ownSubmit
        actions={
          <Actions
            form={form}
            models={models}
            defaultModelId={defaultModelId}
            canSend={canSend}
            isSending={isSending}
            onAttach={() => setAttaching(true)}
            onAbort={onAbort}
          />
        }
      >
        {attachments.length > 0 && (
          <WhenLoaded fallback={null}>
            <Attachments
              label={t("chat.attach.list")}
              names={attachments.map(({ filename }) => filename)}
              removeLabel={(name) => t("chat.attach.remove", { name })}
              onRemove={(removed) => setAttachments(attachments.filter((_, index) => index !== removed))}
            />
          </WhenLoaded>
        )}
        <Textarea
          aria-label={t("chat.compose.label")}
          placeholder={t("chat.compose.placeholder")}
          {...form.getInputProps("text")}
          onKeyDown={onKeyDown}
          autosize
          minRows={2}
          maxRows={10}
        />
      </Form>
      {isAttaching && (
        <WhenLoaded fallback={null}>
          <AttachmentDialog
            onAttach={(added) =>
              setAttachments([...attachments.filter(({ mxcUri }) => mxcUri !== added.mxcUri), added])
            }
            onClose={() => setAttaching(false)}
          />
        </WhenLoaded>
      )}
    </>
  );
}

type ActionsProps = Pick<ComposerProps, "isSending" | "onAbort"> &
  Pick<ReturnType<typeof useModels>, "models" | "defaultModelId"> & {
    form: UseFormReturnType<Values>;
    canSend: boolean;
    onAttach: () => void;
  };

function Actions({ form, models, defaultModelId, canSend, isSending, onAttach, onAbort }: ActionsProps) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between" gap="xs" w="100%">
      <Group gap="xs">
        <ActionIcon variant="default" size="lg" aria-label={t("chat.attach.title")} onClick={onAttach}>
          <IconPaperclip size={18} />
        </ActionIcon>
        {models.length > 1 && (
          <NativeSelect
            aria-label={t("chat.compose.model")}
            {...form.getInputProps("model")}
            value={form.values.model ?? defaultModelId ?? ""}
            data={models.map(({ id, label }) => ({ value: id, label }))}
          />
        )}
      </Group>
      {isSending ? (
        <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={onAbort}>
          {t("chat.compose.stop")}
        </Button>
      ) : (
        <Button type="submit" disabled={!canSend} leftSection={<IconSend size={16} aria-hidden />}>
          {t("chat.compose.send")}
        </Button>
      )}
    </Group>
  );
}
