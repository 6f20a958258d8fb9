import type { ComponentType } from "react";
import type { AnyEvent } from "../core/events.ts";
import type { CallStatus, IComponentMetadata, JsonObject } from "../core/types.ts";

/** What every component in a message is given, beside what its event carries. */
export type UIComponentProps<Event extends AnyEvent = AnyEvent> = {
  id: string;
  isLoading?: boolean;
  output?: string;
} & Omit<Event["payload"], "output">;

/** What `AgActionToolCall` is given. */
export type AgActionToolCallProps = {
  id: string;
  actionName: string;
  args?: JsonObject;
  output?: string;
  status?: CallStatus;
  isLoading?: boolean;
};

/**
 * Components by the name that the oracle gives them in `render_component`. A tool's name draws that tool's calls, `ToolCall` those
 * of all others, `AgActionToolCall` actions that draw nothing themselves.
 */
// biome-ignore lint/suspicious/noExplicitAny: components have properties of their own
export type UIComponents = { [name: string]: ComponentType<any> | undefined };

/** The component of a call and its properties; undefined when the app has none for it. */
export function componentFor(components: UIComponents, { name, props }: IComponentMetadata) {
  const { id, args, status, output, isToolCall, isAgAction, payload = {} } = props;
  const isLoading = status === "isRunning";
  const rest = { id, status, output, isLoading };
  if (isAgAction) {
    const component = components[name] ?? components.AgActionToolCall ?? components.ToolCall;
    return component && { component, props: { ...rest, args, actionName: name, toolName: name } };
  }
  if (isToolCall) {
    const component = components[name] ?? components.ToolCall;
    const { sessionId = "", requestId = "", eventId = id } = payload;
    return component && { component, props: { ...rest, args, toolName: name, sessionId, requestId, eventId } };
  }
  const component = components[name];
  // What the agent gave has no say over what the SDK gives.
  return component && { component, props: { ...args, id, status, isLoading } };
}
