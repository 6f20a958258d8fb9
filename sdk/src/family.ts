// Type names that other SDKs of this family use.
import type { ChatState } from "./core/chat-state.ts";
import type { AgAction, IBrowserTool } from "./core/client-tools.ts";
import type { IModel, ModelList } from "./core/models.ts";
import type { IAttachment, IMessage, Mint, MintedToken, Wallet } from "./core/types.ts";
import type { AgActionHandler, AgActionRender } from "./react/ag-actions.ts";
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
export type IChatState = ChatState;
export type MessagesMap = Record<string, IMessage>;
export type IBrowserToolParams = IBrowserTool;
export type ModelInfo = IModel;
export type ModelFamily = IModel["family"];
export type ModelTier = IModel["tier"];
export type ModelsResponse = ModelList;
export type UseModelsResult = UseModelsReturn;

/** Options that a chat uses to send a message. */
export type ISendMessageOptions = Pick<
  IChatOptions,
  "oracleDid" | "sessionId" | "overrides" | "onPaymentRequiredError" | "browserTools" | "model"
>;

/** An action of the app with its handler and renderer. */
export type IActionToolParams = {
  toolName: string;
  description: string;
  schema: AgAction["parameters"];
  handler: AgActionHandler;
  render?: AgActionRender;
};
export type IActionTools = Record<string, IActionToolParams>;
