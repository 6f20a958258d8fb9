import { Turn } from "./turn.ts";
import type { IMessage } from "./types.ts";
import { isOffline } from "./wake.ts";

/** A turn that a page follows. */
export type Active = {
  turn: Turn;
  requestId: string | undefined;
  /** Under which the answer is shown: the oracle's own id of it as soon as that is known. */
  answerId: string;
  /** The user's words, of a turn that this page began. */
  human?: IMessage;
  /** Ids that the history had when they were sent. */
  knownIds?: ReadonlySet<string>;
  /** Ends the following of the turn, not the turn. */
  left: AbortController;
  ended: Promise<void>;
  isAborted: boolean;
};

export function beginFollowing(requestId: string | undefined, human: IMessage | undefined): Active {
  const answerId = `answer-${requestId ?? crypto.randomUUID()}`;
  const rest = { left: new AbortController(), ended: Promise.resolve(), isAborted: false };
  return { turn: new Turn(), requestId, answerId, ...(human === undefined ? {} : { human }), ...rest };
}

/** Its message waits for a network. */
export const isUnsent = ({ turn }: Active): boolean => isOffline() && turn.runId === undefined;

/** Why a message that was taken back is not sent. */
export const notSent = () => new Error("The message was stopped before it was sent.");
