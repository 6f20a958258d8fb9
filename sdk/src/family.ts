// Type names that other SDKs of this family use.

import type { ReactNode } from "react";
import type { Chat } from "./core/chat.ts";
import type { AgAction, IBrowserTool } from "./core/client-tools.ts";
import type {
  ActionCallEventPayload,
  ErrorEventPayload,
  ReasoningEventPayload,
  ToolCallEventPayload,
} from "./core/events.ts";
import type { IModel, ModelList } from "./core/models.ts";
import type { ChatRunState, ChatStatus, IAttachment, IMessage, Mint, MintedToken, Wallet } from "./core/types.ts";
import type { AgActionHandler, AgActionRenderProps } from "./react/ag-actions.ts";
import type { IOraclesContext } from "./react/context.tsx";
import type { IChatOptions } from "./react/use-chat.ts";
import type { UseModelsReturn } from "./react/use-models.ts";

export type Attachment = IAttachment;
export type CreateDelegationFn = Mint;
export type CreateInvocationFn = Mint;
export type DelegationResult = MintedToken;
export type InvocationResult = MintedToken;
export type IWalletProps = Wallet;
export type IMatrixLoginProps = Wallet["matrix"];
export type IOraclesContextProps = IOraclesContext;
export type MessagesMap = Record<string, IMessage>;
export type IBrowserToolParams = IBrowserTool;
export type ModelInfo = IModel;
export type ModelFamily = IModel["family"];
export type ModelTier = IModel["tier"];
export type ModelsResponse = ModelList;
export type UseModelsResult = UseModelsReturn;

/** A store of a thread's messages, for apps that keep their own. `useChat` needs none. */
export type IChatState = {
  status: ChatStatus;
  error: Error | undefined;
  run: ChatRunState;
  messages: IMessage[];
  pushMessage: (message: IMessage) => void;
  replaceMessage: (index: number, message: IMessage) => void;
  updateLastMessage: (updater: (message: IMessage) => IMessage) => void;
  updateMessageById: (id: string, updater: (message: IMessage) => IMessage) => void;
  snapshot: <T extends IMessage>(thing: T) => T;
  subscribe: (callback: () => void) => () => void;
};

/** What a function of the app that sends a message may take: the chat, and callbacks for events of the turn. */
export type ISendMessageOptions = Pick<
  IChatOptions,
  "oracleDid" | "sessionId" | "overrides" | "onPaymentRequiredError" | "browserTools" | "model"
> & {
  chatRef?: { current: Chat };
  refetchQueries?: () => Promise<void>;
  onToolCall?: (data: { toolCallData: ToolCallEventPayload; requestId: string }) => Promise<void>;
  onActionCall?: (data: { actionCallData: ActionCallEventPayload; requestId: string }) => Promise<void>;
  onError?: (data: { error: ErrorEventPayload; requestId: string }) => Promise<void>;
  onReasoning?: (data: { reasoningData: ReasoningEventPayload; requestId: string }) => Promise<void>;
};

/** An action of the app with its handler and renderer. */
export type IActionToolParams = {
  toolName: string;
  description: string;
  schema: AgAction["parameters"];
  handler: AgActionHandler;
  // A method, so that a renderer may declare fewer statuses.
  // biome-ignore lint/suspicious/noExplicitAny: the schema defines the arguments
  render?(props: AgActionRenderProps<any>): ReactNode;
};
export type IActionTools = Record<string, IActionToolParams>;
