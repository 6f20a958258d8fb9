import type { DeviceError } from "./device-error.ts";
import { type CallDevices, type MediaChoice, noDevices } from "./local-media.ts";
import type { Caption, SignalChannel } from "./signalling.ts";

/**
 * Status of a call. `reconnecting`: the connection to the oracle or to all others is lost and is being restored. `ended`: left, or
 * over. `error`: the call could not start or was lost permanently, with the reason in `error`.
 */
export type LiveCallStatus = "idle" | "connecting" | "connected" | "reconnecting" | "ended" | "error";

/** Another participant. */
export type LiveParticipant = {
  /** Id of this stay; who rejoins gets a new one. */
  id: string;
  did?: string;
  kind: "user" | "agent";
  /** For `srcObject` of an audio or video element. */
  stream: MediaStream;
  /** Whether the microphone is off, as the participant reports it. */
  muted: boolean;
  /** Whether the camera is on, as the participant reports it. */
  video: boolean;
  speaking: boolean;
  /** Whether media flows to and from this participant. */
  connected: boolean;
};

export type LiveCallState = {
  status: LiveCallStatus;
  /** Id of the current call; undefined outside a call. */
  callId: string | undefined;
  /** Why the call could not start or continue: DeviceError, CallRefusedError, CallLostError, or another. */
  error: Error | undefined;
  /** Error of a device that the call continues without. */
  deviceProblem: DeviceError | undefined;
  /** The other participants, in the order in which they joined. */
  participants: readonly LiveParticipant[];
  localStream: MediaStream | null;
  isMuted: boolean;
  isVideoEnabled: boolean;
  devices: CallDevices;
  /** Id of the chosen loudspeaker, for `setSinkId` of audio elements. */
  audioOutput: string | undefined;
  /** The last 200 captions, oldest first. */
  captions: readonly Caption[];
  /** Twelve groups of five digits that participants compare; undefined while there are no others. */
  safetyNumber: string | undefined;
};

export type CallConnection = {
  /** STUN and TURN servers to use instead of the oracle's. */
  iceServers?: RTCIceServer[] | undefined;
  /** `relay` sends media through a TURN server only, so that participants do not learn each other's IP addresses. */
  iceTransportPolicy?: RTCIceTransportPolicy | undefined;
  /** How long to try to reach the oracle again before the call ends, in milliseconds; 60 000 by default. */
  reconnectMs?: number | undefined;
};

export type LiveCallOptions = {
  /** Opens the session's channel; the call closes it when it ends. */
  openChannel: () => SignalChannel;
  /** The user's DID. */
  did: string;
  /** Devices at the start of the call; microphone on and camera off by default. */
  media?: MediaChoice | undefined;
  /** Whether the oracle's agent joins; true by default. */
  agent?: boolean | undefined;
  /** Called with the unpaid claims when the agent requires payment before it answers; the call continues. */
  onPaymentRequiredError?: ((claimIds: string[]) => void) | undefined;
  /** Connection settings; a function is called when the call starts. */
  connection?: CallConnection | (() => CallConnection) | undefined;
};

/** State before the first call. */
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
