import { ApiError } from "./api-error.ts";
import type { OracleClient } from "./client.ts";
import { listMessages, type MessagePage, pageMessages } from "./messages.ts";
import { keepUnchanged } from "./thread.ts";
import { type IsShown, type Layout, withComponents } from "./turn.ts";
import type { IMessage } from "./types.ts";

/** Turns of a page, unless the app says otherwise. */
const turnsOfPage = 20;

type Read = { client: OracleClient; sessionId: string; signal: AbortSignal; limit?: number | undefined };

/** What the oracle keeps of a session, from its end as far back as was asked for; and what this page knows better of it. */
export class History {
  messages: IMessage[] = [];
  #cursor: string | null = null;
  readonly #layouts = new Map<string, Layout>();
  #shown: IMessage[] | undefined;

  /** There are turns before those that were read. */
  get hasEarlier(): boolean {
    return this.#cursor !== null;
  }

  /** Read the last page again; what was read of earlier ones stays. @throws ApiError */
  async read(read: Read): Promise<void> {
    const page = await readPage(read);
    if (read.signal.aborted) return;
    const first = page.messages[0];
    const at = first === undefined ? -1 : this.messages.findIndex(({ id }) => id === first.id);
    // A gap between what was read and what is there now: only what is there now stands.
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

  /** How an answer was laid out when it came. */
  keepLayout(messageId: string, layout: Layout): void {
    this.#layouts.set(messageId, layout);
  }

  /** Draw it anew the next time. */
  refresh(): void {
    this.#shown = undefined;
  }

  /** The messages with their components in place. */
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
    // An oracle of the family that has no pages.
    const messages = await listMessages(client, sessionId, signal);
    return { messages, prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false } satisfies MessagePage;
  }
}

function withFirstAttachment(message: IMessage): IMessage {
  const [attachment] = message.attachments ?? [];
  return attachment === undefined ? message : { ...message, attachment };
}
