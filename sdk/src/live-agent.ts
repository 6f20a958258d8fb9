// The entry `@hearth/oracles-client-sdk/live-agent`: encrypted voice and video calls.
export type { LiveCallOptions, LiveCallState, LiveCallStatus, LiveParticipant } from "./live-agent/call-state.ts";
export { LiveCall } from "./live-agent/live-call.ts";
export type { CallDevices, MediaChoice } from "./live-agent/local-media.ts";
export { canEncryptMedia } from "./live-agent/media-cipher.ts";
export { CallRefusedError, type Caption, type SignalChannel } from "./live-agent/signalling.ts";
export { type UseLiveAgentOptions, type UseLiveAgentReturn, useLiveAgent } from "./live-agent/use-live-agent.ts";
