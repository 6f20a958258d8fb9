import { type IMessage, renderMessageContent } from "@hearth/oracles-client-sdk";
import { Group, Loader, Pill, Spoiler, Text, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";
import classes from "./chat.module.css";
import { consoleComponents } from "./components.tsx";

/** One message: author, reasoning, text, tool calls, and whether it was sent. */
export function MessageView({ message }: { message: IMessage }) {
  const { t } = useTranslation();
  const { type, content, reasoning = "", isReasoning, isComplete, attachments = [], sendError } = message;
  const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
  return (
    <article className={classes.message} data-type={type}>
      <VisuallyHidden>{t(`chat.said.${type}`)}</VisuallyHidden>
      {isReasoning && (
        <Group gap="xs">
          <Loader size={12} aria-hidden />
          <Text size="sm" c="dimmed">
            {t("chat.thinking")}
          </Text>
        </Group>
      )}
      {!isReasoning && reasoning !== "" && (
        <Spoiler maxHeight={0} showLabel={t("chat.reasoning.show")} hideLabel={t("chat.reasoning.hide")}>
          <Text size="sm" c="dimmed">
            {reasoning}
          </Text>
        </Spoiler>
      )}
      {type === "human" ? (
        <div style={{ whiteSpace: "pre-wrap" }}>{typeof content === "string" ? content : ""}</div>
      ) : (
        <div className={classes.text}>{renderMessageContent(content, consoleComponents)}</div>
      )}
      {attachments.length > 0 && (
        <Pill.Group mt={4}>
          {attachments.map(({ filename }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two attachments may have one name
            <Pill key={index}>{filename}</Pill>
          ))}
        </Pill.Group>
      )}
      {type === "ai" && isComplete === false && !isReasoning && isEmpty && <Loader size={14} type="dots" />}
      {sendError !== undefined && <ErrorNotice error={sendError} />}
    </article>
  );
}
