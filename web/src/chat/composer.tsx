import { type IAttachment, type SendOptions, useModels } from "@hearth/oracles-client-sdk";
import { ActionIcon, Button, Group, NativeSelect, Pill, Stack, Textarea } from "@mantine/core";
import { IconPaperclip, IconPlayerStop, IconSend } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { AttachmentDialog } from "./attachment-dialog.tsx";
import { useDraft } from "./draft.ts";
import type { OracleAddress } from "./oracle-provider.tsx";

type ComposerProps = OracleAddress & {
  sessionId: string;
  isSending: boolean;
  onSend: (text: string, options: SendOptions) => void;
  onAbort: () => void;
};

/** Where one writes to the oracle. Enter sends, Shift+Enter begins a new line; what is typed survives a reload. */
export function Composer({ oracleDid, overrides, sessionId, isSending, onSend, onAbort }: ComposerProps) {
  const { t } = useTranslation();
  const { models, defaultModelId } = useModels(oracleDid, overrides);
  const [model, setModel] = useState<string>();
  const [text, setText] = useDraft(sessionId);
  const [attachments, setAttachments] = useState<readonly IAttachment[]>([]);
  const [isAttaching, setAttaching] = useState(false);
  const canSend = text.trim() !== "" && !isSending;
  const send = () => {
    if (!canSend) return;
    onSend(text, {
      ...(model === undefined ? {} : { model }),
      ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
    });
    setText("");
    setAttachments([]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack gap="xs">
        {attachments.length > 0 && (
          <Pill.Group aria-label={t("chat.attach.list")}>
            {attachments.map((each) => (
              <Pill
                key={each.mxcUri}
                withRemoveButton
                removeButtonProps={{ "aria-label": t("chat.attach.remove", { name: each.filename }) }}
                onRemove={() => setAttachments(attachments.filter((other) => other !== each))}
              >
                {each.filename}
              </Pill>
            ))}
          </Pill.Group>
        )}
        <Textarea
          aria-label={t("chat.compose.label")}
          placeholder={t("chat.compose.placeholder")}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autosize
          minRows={2}
          maxRows={10}
        />
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={t("chat.attach.title")}
              onClick={() => setAttaching(true)}
            >
              <IconPaperclip size={18} />
            </ActionIcon>
            {models.length > 1 && (
              <NativeSelect
                aria-label={t("chat.compose.model")}
                value={model ?? defaultModelId ?? ""}
                onChange={(event) => setModel(event.currentTarget.value)}
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
      </Stack>
      {isAttaching && (
        <AttachmentDialog
          onAttach={(added) => setAttachments([...attachments.filter(({ mxcUri }) => mxcUri !== added.mxcUri), added])}
          onClose={() => setAttaching(false)}
        />
      )}
    </form>
  );
}
