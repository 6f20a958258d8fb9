import { Turn } from "./turn.ts";
import type { IMessage } from "./types.ts";
import { isOffline } from "./wake.ts";

/** A turn that this page follows. */
export type Active = {
  turn: Turn;
  requestId: string | undefined;
  /** Id of the shown answer; replaced by the oracle's id when that is known. */
  answerId: string;
  /** The user's message, if this page started the turn. */
  human?: IMessage;
  /** Message ids in the history when the message was sent. */
  knownIds?: ReadonlySet<string>;
  /** Stops following; the turn continues. */
  left: AbortController;
  ended: Promise<void>;
  isAborted: boolean;
};

export function beginFollowing(requestId: string | undefined, human: IMessage | undefined): Active {
  const answerId = `answer-${requestId ?? crypto.randomUUID()}`;
  const rest = { left: new AbortController(), ended: Promise.resolve(), isAborted: false };
  return { turn: new Turn(), requestId, answerId, ...(human === undefined ? {} : { human }), ...rest };
}

/** Tell whether the message still waits for a network. */
export const isUnsent = ({ turn }: Active): boolean => isOffline() && turn.runId === undefined;

/** Error of a message that was stopped before it was sent. */
export const notSent = () => new Error("The message was stopped before it was sent.");
