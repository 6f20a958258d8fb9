// Shapes that the SDK and the API each declare for themselves, as the SDK imports nothing of the API. They are compared when types
// are checked: a field that one of them changes alone is an error here.
import type { z } from "zod";
import type { ShownParticipant } from "../../api/oracle/calls/live-calls.ts";
import type { joinMessage, keyMessage, signalMessage, stateMessage } from "../../api/oracle/calls/schemas.ts";
import type { OracleFacts } from "../../api/oracle/payments/schemas.ts";
import type { Fact } from "../../api/oracle/plugins/memory/facts.ts";
import type { ChatSession } from "../../api/oracle/sessions/sessions.ts";
import type { CallEvent as ToldOfCall } from "../../api/oracle/wire/bus.ts";
import type { MessagePart } from "../../api/oracle/wire/message-parts.ts";
import type { ChatMessage, SendMessageBody as SendMessage } from "../../api/oracle/wire/message-schemas.ts";
import type { ModelCard } from "../../api/oracle/wire/turn.ts";
import type { RuleDetail } from "../../api/platform/errors.ts";
import type { Told } from "../../sdk/src/core/config.ts";
import type {
  ErrorDetail,
  IChatSession,
  IMemory,
  IMessage,
  IMessagePart,
  IModel,
  MessageBody,
} from "../../sdk/src/core.ts";
import type { WrappedKey } from "../../sdk/src/live-agent/call-keys.ts";
import type { OwnState } from "../../sdk/src/live-agent/call-room.ts";
import type { CallEvent, CallParticipant, Signal } from "../../sdk/src/live-agent/signalling.ts";
import type { IsTrue, SameNames, SameWords, Takes } from "./compare.ts";

export type Checked = [
  IsTrue<SameNames<ModelCard, IModel>>,
  Takes<IModel, ModelCard>,
  // Fields that only the page sets.
  IsTrue<SameNames<ChatMessage, IMessage, "isReasoning" | "sendError" | "attachment" | "chunks">>,
  Takes<IMessagePart, MessagePart>,
  Takes<MessagePart, IMessagePart>,
  // What the page need not send: it always streams, and says by itself where it is.
  IsTrue<SameNames<MessageBody, SendMessage, "stream" | "returnAllMessages" | "timezone">>,
  IsTrue<SameNames<ChatSession, IChatSession>>,
  Takes<IChatSession, ChatSession>,
  IsTrue<SameNames<Fact, IMemory>>,
  Takes<IMemory, Fact>,
  IsTrue<SameNames<RuleDetail, ErrorDetail>>,
  Takes<ErrorDetail, RuleDetail>,
  IsTrue<SameNames<OracleFacts, Told>>,
];

/** Of calls: requests, responses, and events for the participants. */
export type CheckedOfCalls = [
  IsTrue<SameWords<CallEvent["eventName"], ToldOfCall>>,
  IsTrue<SameNames<CallParticipant, ShownParticipant>>,
  IsTrue<SameNames<OwnState & { publicKey: string; resume?: string }, z.input<typeof joinMessage>>>,
  IsTrue<SameNames<Omit<OwnState, "agent">, z.input<typeof stateMessage>>>,
  IsTrue<SameNames<Signal & { to: string }, z.input<typeof signalMessage>>>,
  IsTrue<SameNames<WrappedKey & { to: string }, z.input<typeof keyMessage>>>,
];
