"use client";

import { type ComponentPropsWithoutRef, createContext, type ReactNode, useContext } from "react";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import type { MessageContent } from "../core/types.ts";
import { MessageComponent } from "./message-component.tsx";
import type { UIComponents } from "./ui-components.ts";

const remarkPlugins = [remarkGfm];
const rehypePlugins = [rehypeSanitize];
const components: Components = { a: SafeLink, img: PictureLink };
const InLink = createContext(false);

/**
 * Turn a message's content into React nodes: sanitized Markdown, with components in their places.
 * @param uiComponents the app's components; defaults to those given to `useChat`
 * @example
 * ```tsx
 * import { type IMessage, renderMessageContent } from "@hearth/oracles-client-sdk";
 *
 * export const Thread = ({ messages }: { messages: IMessage[] }) => (
 *   <ol>
 *     {messages.map(({ id, content }) => (
 *       <li key={id}>{renderMessageContent(content)}</li>
 *     ))}
 *   </ol>
 * );
 * ```
 */
export function renderMessageContent(content: MessageContent, uiComponents?: UIComponents): ReactNode {
  // Always a list, so that React keeps rendered parts when more follow.
  const parts = Array.isArray(content) ? content : [content];
  let texts = 0;
  const drawn = parts.map((part) => {
    if (typeof part !== "string") return <MessageComponent key={part.props.id} of={part} components={uiComponents} />;
    texts += 1;
    return <Text key={`text-${texts}`}>{part}</Text>;
  });
  return <>{drawn}</>;
}

function Text({ children }: { children: string }): ReactNode {
  return (
    <Markdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={components}>
      {children}
    </Markdown>
  );
}

/** Open the agent's links in a new tab, without a referrer. */
function SafeLink({ node: _, children, ...rest }: ComponentPropsWithoutRef<"a"> & { node?: unknown }): ReactNode {
  return (
    <a {...rest} target="_blank" rel="noopener noreferrer nofollow ugc">
      <InLink.Provider value>{children}</InLink.Provider>
    </a>
  );
}

/**
 * Render an image as a link. An image that loads by itself sends its URL to a server, and a prompt injection may have put private
 * data into that URL.
 */
function PictureLink({ src, alt = "" }: ComponentPropsWithoutRef<"img"> & { node?: unknown }): ReactNode {
  const isInLink = useContext(InLink);
  const text = alt || (typeof src === "string" ? src : "");
  return isInLink || typeof src !== "string" ? text : <SafeLink href={src}>{text}</SafeLink>;
}
