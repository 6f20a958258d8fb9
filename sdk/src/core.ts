// The SDK without React: for other frameworks, workers and servers.

export type { IAgentCard, IAgentService } from "./core/agent-card.ts";
export { ApiError, type ErrorDetail } from "./core/api-error.ts";
export { Chat } from "./core/chat.ts";
export { type ChatConnection, type ChatOptions, type ChatState, IDLE_RUN_STATE } from "./core/chat-state.ts";
export { type Method, OracleClient, type OracleClientOptions, type RequestOptions } from "./core/client.ts";
export type { AgAction, IBrowserTool, IBrowserTools, ToolEffect } from "./core/client-tools.ts";
export { type OracleChain, type OracleConfig, readOracleConfig } from "./core/config.ts";
export { Connections, type ConnectionsOptions } from "./core/connections.ts";
export { type Artifacts, Credentials, type CredentialsOptions, type Handshake } from "./core/credentials.ts";
export type * from "./core/events.ts";
export { type FollowRun, followRun, type RunEvent } from "./core/follow-run.ts";
export { StreamCutError } from "./core/frames.ts";
export { addMemory, correctMemory, forgetMemory, type IMemory, listMemories } from "./core/memory.ts";
export {
  abortTurn,
  currentRun,
  listMessages,
  type MessageBody,
  type MessagePage,
  pageMessages,
  postMessage,
  type SendOptions,
} from "./core/messages.ts";
export { type IModel, listModels, type ModelList } from "./core/models.ts";
export { type GetOpenIdTokenParams, getOpenIdToken, type IOpenIDToken } from "./core/openid.ts";
export { connectRealtime, type RealtimeChannel, type RealtimeOptions } from "./core/realtime.ts";
export { createSession, deleteSession, listSessions, type SessionPage } from "./core/sessions.ts";
export type { OutputOf, ZodSchema } from "./core/tool-schemas.ts";
export type * from "./core/types.ts";
