import type { Log } from "../../../platform/log.ts";
import type { CallAgent, LiveCalls } from "../live-calls.ts";
import type { CallRow } from "../tables.ts";
import type { AgentParticipant } from "./agent-participant.ts";
import type { StartSpokenTurn } from "./conversation.ts";
import type { SpeechOptions } from "./speech-api.ts";

export type CallAgentsDeps = { did: string; speech: SpeechOptions; startTurn: StartSpokenTurn; log: Log };

/** The agents in the calls of this process. */
export class CallAgents {
  readonly #deps: CallAgentsDeps;
  readonly #participants = new Map<string, AgentParticipant>();

  constructor(deps: CallAgentsDeps) {
    this.#deps = deps;
  }

  /** Bring the agent into a call. @throws AppError CONFLICT when the call is full, over, or has an agent */
  readonly join: CallAgent = async (calls: LiveCalls, call: CallRow) => {
    const log = this.#deps.log.child({ callId: call.id });
    const onClose = () => void this.#participants.delete(call.id);
    // Loads WebRTC, 23 MB, which most processes never need.
    const { AgentParticipant } = await import("./agent-participant.ts");
    const participant = await AgentParticipant.join({ ...this.#deps, calls, call, log, onClose });
    if (!participant.isClosed) this.#participants.set(call.id, participant);
  };

  /** Leave every call. */
  async close(): Promise<void> {
    await Promise.all([...this.#participants.values()].map((participant) => participant.close()));
  }
}
