import type { DeviceError } from "./device-error.ts";
import { type CallDevices, type MediaChoice, noDevices } from "./local-media.ts";
import type { Caption, SignalChannel } from "./signalling.ts";

/**
 * Where a call stands. `reconnecting`: the way to the oracle, or to all others, is lost for the moment; it is looked for again.
 * `ended`: left, or over. `error`: it could not begin, or was lost for good; `error` says why.
 */
export type LiveCallStatus = "idle" | "connecting" | "connected" | "reconnecting" | "ended" | "error";

/** Another participant. */
export type LiveParticipant = {
  /** Of this coming: somebody who comes again has another. */
  id: string;
  did?: string;
  kind: "user" | "agent";
  /** For `srcObject` of an audio or video element. */
  stream: MediaStream;
  /** Said by the participant: its microphone is off. */
  muted: boolean;
  /** Said by the participant: its camera is on. */
  video: boolean;
  speaking: boolean;
  /** Media flows between you. */
  connected: boolean;
};

export type LiveCallState = {
  status: LiveCallStatus;
  /** Of the call that one is in; undefined outside of one. */
  callId: string | undefined;
  /** Why the call could not begin or go on: DeviceError, CallRefusedError, CallLostError, or another. */
  error: Error | undefined;
  /** The device that the call goes on without, or that was replaced by none when it was lost. */
  deviceProblem: DeviceError | undefined;
  /** The others, in the order of their coming. */
  participants: readonly LiveParticipant[];
  localStream: MediaStream | null;
  isMuted: boolean;
  isVideoEnabled: boolean;
  devices: CallDevices;
  /** Device of the loudspeaker that was chosen, for `setSinkId` of the elements that play. */
  audioOutput: string | undefined;
  /** The last two hundred, oldest first. */
  captions: readonly Caption[];
  /** Twelve groups of five digits to read to each other; undefined while there is nobody else. */
  safetyNumber: string | undefined;
};

export type CallConnection = {
  /** STUN and TURN servers to use instead of those that the oracle names. */
  iceServers?: RTCIceServer[] | undefined;
  /** `relay`: media takes no way but through a TURN server, so that participants do not learn each other's addresses. */
  iceTransportPolicy?: RTCIceTransportPolicy | undefined;
  /** After how long without a way to the oracle the call is given up, in milliseconds; 60 000 when absent. */
  reconnectMs?: number | undefined;
};

export type LiveCallOptions = {
  /** Opens the way to the session; closed again by the end of the call. */
  openChannel: () => SignalChannel;
  /** The user's DID. */
  did: string;
  /** What the call begins with; microphone on and camera off when absent. */
  media?: MediaChoice | undefined;
  /** Whether the oracle's own agent is asked into the call; it is when absent. */
  agent?: boolean | undefined;
  /** Called with the open claims when the agent wants to be paid before it answers; the call goes on. */
  onPaymentRequiredError?: ((claimIds: string[]) => void) | undefined;
  /** How connections are made; a function is asked when the call begins. */
  connection?: CallConnection | (() => CallConnection) | undefined;
};

/** Before anything has happened. */
export const idle: LiveCallState = {
  status: "idle",
  callId: undefined,
  error: undefined,
  deviceProblem: undefined,
  participants: [],
  localStream: null,
  isMuted: false,
  isVideoEnabled: false,
  devices: noDevices,
  audioOutput: undefined,
  captions: [],
  safetyNumber: undefined,
};
