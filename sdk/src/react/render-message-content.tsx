import type { ComponentPropsWithoutRef, ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import type { MessageContent } from "../core/types.ts";
import { MessageComponent } from "./message-component.tsx";
import type { UIComponents } from "./ui-components.ts";

const remarkPlugins = [remarkGfm];
const rehypePlugins = [rehypeSanitize];
const components: Components = { a: SafeLink };

/**
 * Turn a message's content into React nodes: text as Markdown, made safe; components where they were said.
 * @param uiComponents the app's components; those given to `useChat` when absent
 */
export function renderMessageContent(content: MessageContent, uiComponents?: UIComponents): ReactNode {
  if (typeof content === "string") return <Text>{content}</Text>;
  if (!Array.isArray(content))
    return <MessageComponent key={content.props.id} of={content} components={uiComponents} />;
  return content.map((part, index) => {
    if (typeof part !== "string") return <MessageComponent key={part.props.id} of={part} components={uiComponents} />;
    // Text has no id, and its place among the parts does not change.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    return <Text key={`text-${index}`}>{part}</Text>;
  });
}

function Text({ children }: { children: string }): ReactNode {
  return (
    <Markdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={components}>
      {children}
    </Markdown>
  );
}

/** What an agent links to opens apart, and learns nothing of the page that it was opened from. */
function SafeLink({ node: _, children, ...rest }: ComponentPropsWithoutRef<"a"> & { node?: unknown }): ReactNode {
  return (
    <a {...rest} target="_blank" rel="noopener noreferrer nofollow ugc">
      {children}
    </a>
  );
}
