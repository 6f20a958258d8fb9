import type { Log } from "../../../platform/log.ts";
import type { LiveCalls } from "../live-calls.ts";
import type { CallRow } from "../tables.ts";
import { AgentParty } from "./agent-participant.ts";
import type { BeginSpokenTurn } from "./conversation.ts";
import type { SpeechOptions } from "./speech-api.ts";

export type CallAgentsParts = { calls: LiveCalls; did: string; begin: BeginSpokenTurn };

/** The agent in all calls of this process. Answers none until a plugin says with which speech. */
export class CallAgents {
  readonly #log: Log;
  readonly #parties = new Map<string, AgentParty>();
  #speech: SpeechOptions | undefined;

  constructor({ log }: { log: Log }) {
    this.#log = log;
  }

  /** From now on calls are answered. */
  answerWith(speech: SpeechOptions): void {
    this.#speech = speech;
  }

  /** The wire is made of what plugins are part of: so it comes later. */
  start(parts: CallAgentsParts): void {
    const speech = this.#speech;
    if (speech !== undefined) parts.calls.agent = (call) => this.#join(call, speech, parts);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#parties.values()].map((party) => party.close()));
  }

  async #join(call: CallRow, speech: SpeechOptions, { calls, did, begin }: CallAgentsParts): Promise<void> {
    const log = this.#log.child({ callId: call.id });
    const ended = () => void this.#parties.delete(call.id);
    const party = await AgentParty.join({ calls, call, did, speech, begin, log, ended });
    if (!party.isClosed) this.#parties.set(call.id, party);
  }
}
