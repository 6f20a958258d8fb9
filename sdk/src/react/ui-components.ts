import type { ComponentType } from "react";
import type { AnyEvent, EventIds } from "../core/events.ts";
import { ownComponent } from "../core/shown-calls.ts";
import type { CallStatus, IComponentMetadata, JsonObject } from "../core/types.ts";

/** Props of every component in a message, in addition to its event's payload. */
export type UIComponentProps<Event extends AnyEvent = AnyEvent> = {
  id: string;
  isLoading?: boolean;
  output?: string;
} & Omit<Event["payload"], "output">;

/** Props of `AgActionToolCall`. */
export type AgActionToolCallProps = {
  id: string;
  actionName: string;
  args?: JsonObject;
  output?: string;
  /** Why the call failed. */
  error?: string;
  status?: CallStatus;
  isLoading?: boolean;
};

/**
 * Components by the name that the oracle uses in `render_component`. A tool's name renders that tool's calls and `ToolCall` all
 * others; `AgActionToolCall` renders actions that have no `render`, and `Error` renders failures.
 */
// biome-ignore lint/suspicious/noExplicitAny: each component has its props
export type UIComponents = { [name: string]: ComponentType<any> | undefined };

/** Props that React reserves, and one that injects markup. */
const reserved = new Set(["key", "ref", "dangerouslySetInnerHTML"]);

const noIds: EventIds & { eventId?: string } = { sessionId: "", requestId: "" };

/** Find the component of a call, with its props; undefined when the app has none. */
export function componentFor(components: UIComponents, { name, props }: IComponentMetadata) {
  const { id, args, status, output, error, isToolCall, isAgAction, payload, event } = props;
  const isLoading = status === "isRunning";
  const rest = { id, status, output, isLoading };
  if (isAgAction) {
    const component = ownComponent(components, name) ?? components.AgActionToolCall ?? components.ToolCall;
    return component && { component, props: { ...rest, args, error, actionName: name, toolName: name } };
  }
  if (isToolCall) {
    const component = ownComponent(components, name) ?? components.ToolCall;
    const { sessionId, requestId, eventId = id } = { ...noIds, ...payload };
    return component && { component, props: { ...rest, args, toolName: name, sessionId, requestId, eventId } };
  }
  const component = ownComponent(components, name);
  if (event !== undefined) return component && { component, props: { ...rest, args, event, payload } };
  const given = Object.fromEntries(Object.entries(args ?? {}).filter(([key]) => !reserved.has(key)));
  // The SDK's props override the agent's.
  return component && { component, props: { ...given, id, status, isLoading } };
}
