import { type MessageContent, renderMessageContent } from "@hearth/oracles-client-sdk";
import { useLayoutEffect } from "react";
import { consoleComponents } from "./components/components.tsx";

type AnswerProps = { content: MessageContent; onDrawn: () => void };

/** An answer of the oracle: Markdown, with components in their places. Loaded with the first answer, because Markdown is large. */
export function Answer({ content, onDrawn }: AnswerProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it takes the place of the plain text
  useLayoutEffect(onDrawn, []);
  return renderMessageContent(content, consoleComponents);
}
