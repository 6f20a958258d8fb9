import type { IMessage } from "@hearth/oracles-client-sdk";
import { Group, Loader, Spoiler, Text, VisuallyHidden } from "@mantine/core";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { withTexts } from "../i18n/with-texts.ts";
import { ErrorNotice } from "../show/error-notice.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import classes from "./chat.module.css";

const Attachments = lazy(async () => ({ default: (await import("./attachments.tsx")).Attachments }));
const Answer = lazy(async () => ({ default: (await withTexts("answers", () => import("./answer.tsx"))).Answer }));

/** `onDrawn`: the answer was drawn in place of its plain text, so its height has changed. */
type MessageProps = { message: IMessage; onDrawn: () => void };

/** One message: author, reasoning, text, tool calls, and whether it was sent. */
export function MessageView({ message, onDrawn }: MessageProps) {
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
        <div className={classes.text}>
          <WhenLoaded fallback={<PlainText content={content} />}>
            <Answer content={content} onDrawn={onDrawn} />
          </WhenLoaded>
        </div>
      )}
      {attachments.length > 0 && (
        <WhenLoaded fallback={null}>
          <Attachments mt={4} names={attachments.map(({ filename }) => filename)} />
        </WhenLoaded>
      )}
      {type === "ai" && isComplete === false && !isReasoning && isEmpty && <Loader size={14} type="dots" />}
      {sendError !== undefined && <ErrorNotice error={sendError} />}
    </article>
  );
}

/** An answer's text as it was written, until the code that formats it has come. */
function PlainText({ content }: Pick<IMessage, "content">) {
  const parts = Array.isArray(content) ? content : [content];
  return <div style={{ whiteSpace: "pre-wrap" }}>{parts.filter((part) => typeof part === "string").join("\n\n")}</div>;
}
