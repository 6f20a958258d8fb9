// The React SDK: the core's exports, and hooks.

// Alias that other SDKs of this family use.
export { ApiError as RequestError } from "./core/api-error.ts";
export type { IAuthzConfig } from "./core/authz-config.ts";
export * from "./core.ts";
export type * from "./family.ts";
export { useLiveAgent } from "./live-agent/use-live-agent.ts";
export type { AgActionHandler, AgActionRender, AgActionRenderProps } from "./react/ag-actions.ts";
export {
  type IOraclesContext,
  type IOraclesProviderProps,
  OraclesProvider,
  useOraclesContext,
} from "./react/context.tsx";
export { renderMessageContent } from "./react/render-message-content.tsx";
export type { AgActionToolCallProps, UIComponentProps, UIComponents } from "./react/ui-components.ts";
export { type AgActionConfig, useAgAction } from "./react/use-ag-action.ts";
export { type IChatOptions, type UseChatReturn, useChat } from "./react/use-chat.ts";
export {
  type ContractOracleOptions,
  type ContractOracleParams,
  type UseContractOracleReturn,
  useContractOracle,
} from "./react/use-contract-oracle.ts";
export { type UseGetOpenIdTokenReturn, useGetOpenIdToken } from "./react/use-get-openid-token.ts";
export { type UseMemoryEngineReturn, useMemoryEngine } from "./react/use-memory-engine.ts";
export { type UseModelsReturn, useModels } from "./react/use-models.ts";
export { type UseOracleSessionsReturn, useOracleSessions } from "./react/use-oracle-sessions.ts";
export { type UseOraclesConfigReturn, useOraclesConfig } from "./react/use-oracles-config.ts";
