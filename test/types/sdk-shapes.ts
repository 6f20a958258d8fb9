// Shapes that the SDK and the API each declare for themselves, as the SDK imports nothing of the API. They are compared when types
// are checked: a field that one of them changes alone is an error here.
import type { ChatMessage, SendMessage } from "../../api/oracle/messages/schemas.ts";
import type { MessagePart } from "../../api/oracle/runs/parts.ts";
import type { ModelCard } from "../../api/oracle/turn.ts";
import type { IMessage, IMessagePart, IModel, MessageBody } from "../../sdk/src/core.ts";

/** Fails to compile unless what one side gives, the other takes. */
type Takes<Taken, Given extends Taken> = Given;

/** The same names on both sides, but for those that one side keeps to itself. */
type SameNames<A, B, Apart extends string = never> =
  Exclude<keyof A | keyof B, Apart> extends keyof A & keyof B
    ? true
    : Exclude<keyof A | keyof B, (keyof A & keyof B) | Apart>;

type IsTrue<T extends true> = T;

export type Checked = [
  IsTrue<SameNames<ModelCard, IModel>>,
  Takes<IModel, ModelCard>,
  // The page adds what it alone knows.
  IsTrue<SameNames<ChatMessage, IMessage, "isReasoning" | "sendError" | "attachment">>,
  Takes<IMessagePart, MessagePart>,
  Takes<MessagePart, IMessagePart>,
  // What the page need not send: it always streams, and says by itself where it is.
  IsTrue<SameNames<MessageBody, SendMessage, "stream" | "returnAllMessages" | "timezone">>,
];
