// Entry point `@hearth/oracles-client-sdk/live-agent`: encrypted voice and video calls.
export type {
  CallConnection,
  LiveCallOptions,
  LiveCallState,
  LiveCallStatus,
  LiveParticipant,
} from "./live-agent/call-state.ts";
export { DeviceError, type DeviceReason } from "./live-agent/device-error.ts";
export type { AgentRoom, RoomState } from "./live-agent/family/agent-room.ts";
export type { CallAgentParams, LiveAgentCall, ToastFn } from "./live-agent/family/call-acts.ts";
export type { RoomListener } from "./live-agent/family/emitter.ts";
export type { LocalRoomParticipant, RoomParticipant } from "./live-agent/family/room-participant.ts";
export type { RoomPublication, RoomTrack, TrackSource } from "./live-agent/family/room-track.ts";
export { LiveCall } from "./live-agent/live-call.ts";
export type { CallDevices, MediaChoice } from "./live-agent/local-media.ts";
export { canEncryptMedia } from "./live-agent/media-cipher.ts";
export { CallLostError, CallRefusedError, type Caption, type SignalChannel } from "./live-agent/signalling.ts";
export { type UseLiveAgentOptions, type UseLiveAgentReturn, useLiveAgent } from "./live-agent/use-live-agent.ts";
