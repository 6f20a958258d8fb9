import type { SendOptions } from "./messages.ts";
import type { IMessage } from "./types.ts";

/** The turn that is under way, as the thread shows it. */
export type Pending = {
  /** The user's words, while the history does not have them; none for a turn that this page only joined. */
  human?: IMessage | undefined;
  /** Ids that the history had when the words were sent. */
  knownIds?: ReadonlySet<string> | undefined;
  /** Undefined until something of the answer is there. */
  answer?: IMessage | undefined;
};

/** The history and the turn under way, each message once: the history may hold parts of the turn already. */
export function joinThread(history: readonly IMessage[], { human, knownIds, answer }: Pending): IMessage[] {
  const own = human === undefined ? history.length - 1 : indexOfOwn(history, human, knownIds);
  // A turn that is under way has no answer in the history: with one it has ended.
  const hasEnded = history.slice(Math.max(own, 0)).some(({ type }) => type === "ai");
  if (own >= 0 && hasEnded) return [...history];
  return [...history, ...(human !== undefined && own < 0 ? [human] : []), ...(answer === undefined ? [] : [answer])];
}

/** Where the history has the user's words, or -1. The oracle gives them an id of its own. */
function indexOfOwn(history: readonly IMessage[], human: IMessage, knownIds: ReadonlySet<string> | undefined): number {
  if (knownIds === undefined) return -1;
  return history.findLastIndex(({ type, id, content }) => {
    return type === "human" && content === human.content && !knownIds.has(id);
  });
}

/** The new history, with the very objects of the old one where nothing changed, so that nothing is drawn for nothing. */
export function keepUnchanged(old: readonly IMessage[], history: readonly IMessage[]): IMessage[] {
  const known = new Map(old.map((message) => [message.id, message]));
  return history.map((message) => {
    const before = known.get(message.id);
    return before !== undefined && JSON.stringify(before) === JSON.stringify(message) ? before : message;
  });
}

/** The user's words until the history has them. */
export function ownMessage(requestId: string, content: string, { attachments = [] }: SendOptions): IMessage {
  const [attachment] = attachments;
  return {
    ...{ id: `sent-${requestId}`, type: "human", content, createdAt: new Date().toISOString(), isComplete: true },
    ...(attachment === undefined ? {} : { attachments, attachment }),
  };
}
