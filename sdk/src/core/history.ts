import { ApiError } from "./api-error.ts";
import type { OracleClient } from "./client.ts";
import { listMessages, type MessagePage, pageMessages } from "./messages.ts";
import { keepUnchanged } from "./thread.ts";
import { type IsShown, type Layout, withComponents } from "./turn.ts";
import type { IMessage } from "./types.ts";

/** Default number of turns on a page. */
const turnsOfPage = 20;

type Read = { client: OracleClient; sessionId: string; signal: AbortSignal; limit?: number | undefined };

/** The pages of a session's history that have been read, and the layout of answers that this page saw streaming. */
export class History {
  messages: IMessage[] = [];
  #cursor: string | null = null;
  readonly #layouts = new Map<string, Layout>();
  #shown: IMessage[] | undefined;

  /** Whether there are earlier turns to read. */
  get hasEarlier(): boolean {
    return this.#cursor !== null;
  }

  /** Read the last page again and keep earlier pages. @throws ApiError */
  async read(read: Read): Promise<void> {
    const page = await readPage(read);
    if (read.signal.aborted) return;
    const first = page.messages[0];
    const at = first === undefined ? -1 : this.messages.findIndex(({ id }) => id === first.id);
    // If the new page does not overlap with the known ones, drop those.
    const earlier = at > 0 ? this.messages.slice(0, at) : [];
    if (earlier.length === 0) this.#cursor = page.hasOlder ? page.prevCursor : null;
    this.replace(keepUnchanged(this.messages, [...earlier, ...page.messages.map(withFirstAttachment)]));
  }

  /** Read the page before the earliest message. @throws ApiError */
  async readEarlier(read: Read): Promise<void> {
    const before = this.#cursor;
    if (before === null) return;
    const page = await readPage({ ...read, before });
    if (read.signal.aborted || this.#cursor !== before) return;
    this.#cursor = page.hasOlder ? page.prevCursor : null;
    this.replace([...page.messages.map(withFirstAttachment), ...this.messages]);
  }

  replace(messages: IMessage[]): void {
    this.messages = messages;
    this.#shown = undefined;
  }

  /** Remember the layout of an answer as it streamed. */
  keepLayout(messageId: string, layout: Layout): void {
    this.#layouts.set(messageId, layout);
  }

  /** Compute the shown messages again. */
  refresh(): void {
    this.#shown = undefined;
  }

  /** Return the messages with their components in place. */
  show(isAction: (name: string) => boolean, isShown: IsShown): IMessage[] {
    this.#shown ??= this.messages.map((message) =>
      withComponents(message, this.#layouts.get(message.id), isAction, isShown),
    );
    return this.#shown;
  }
}

async function readPage({ client, sessionId, signal, limit = turnsOfPage, before }: Read & { before?: string }) {
  try {
    return await pageMessages(client, sessionId, { limit, ...(before === undefined ? {} : { before }) }, signal);
  } catch (error) {
    const isUnknown = error instanceof ApiError && (error.status === 404 || error.status === 405);
    if (!isUnknown || before !== undefined) throw error;
    // Other oracles of this family have no pages.
    const messages = await listMessages(client, sessionId, signal);
    return { messages, prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false } satisfies MessagePage;
  }
}

function withFirstAttachment(message: IMessage): IMessage {
  const [attachment] = message.attachments ?? [];
  return attachment === undefined ? message : { ...message, attachment };
}
