import type { SendOptions } from "./messages.ts";
import type { IMessage } from "./types.ts";

/** The running turn, as the thread shows it. */
export type Pending = {
  /** The user's message until the history has it; undefined for a turn that another page started. */
  human?: IMessage | undefined;
  /** Message ids in the history when the message was sent. */
  knownIds?: ReadonlySet<string> | undefined;
  /** Undefined until the answer starts. */
  answer?: IMessage | undefined;
};

/** Append the running turn to the history. The history may contain parts of the turn; each message appears once. */
export function joinThread(history: readonly IMessage[], { human, knownIds, answer }: Pending): IMessage[] {
  const own = human === undefined ? history.length - 1 : indexOfOwn(history, human, knownIds);
  // An answer in the history means that the turn has ended.
  const hasEnded = history.slice(Math.max(own, 0)).some(({ type }) => type === "ai");
  if (own >= 0 && hasEnded) return [...history];
  return [...history, ...(human !== undefined && own < 0 ? [human] : []), ...(answer === undefined ? [] : [answer])];
}

/** Find the user's message in the history, or -1. The oracle assigns it a new id, so text is compared. */
function indexOfOwn(history: readonly IMessage[], human: IMessage, knownIds: ReadonlySet<string> | undefined): number {
  if (knownIds === undefined) return -1;
  return history.findLastIndex(({ type, id, content }) => {
    return type === "human" && content === human.content && !knownIds.has(id);
  });
}

/** Reuse the objects of unchanged messages, so that React does not render them again. */
export function keepUnchanged(old: readonly IMessage[], history: readonly IMessage[]): IMessage[] {
  const known = new Map(old.map((message) => [message.id, message]));
  return history.map((message) => {
    const before = known.get(message.id);
    return before !== undefined && JSON.stringify(before) === JSON.stringify(message) ? before : message;
  });
}

/** Make the user's message, to show until the history has it. */
export function ownMessage(requestId: string, content: string, { attachments = [] }: SendOptions): IMessage {
  const [attachment] = attachments;
  return {
    id: `sent-${requestId}`,
    type: "human",
    content,
    createdAt: new Date().toISOString(),
    isComplete: true,
    ...(attachment === undefined ? {} : { attachments, attachment }),
  };
}
