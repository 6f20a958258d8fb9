import { createHash } from "node:crypto";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { io, type Socket } from "socket.io-client";
import type { Agent, TurnContext, TurnResult } from "../../../api/oracle/wire/turn.ts";
import type { TestOracle, TestUser } from "./oracle.ts";

export type TestFrame = { id: number; event: string; raw: string; data: Record<string, unknown> };

/** For tests: the frames of an event stream as they come. */
export async function* framesOf(answer: Response): AsyncGenerator<TestFrame> {
  if (answer.body === null) throw new Error("The answer has no body.");
  const events = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, event = "", data } of events as unknown as AsyncIterable<{
    id?: string;
    event?: string;
    data: string;
  }>) {
    yield { id: Number(id), event, raw: data, data: JSON.parse(data) as Record<string, unknown> };
  }
}

export async function readAll(answer: Response): Promise<TestFrame[]> {
  const frames: TestFrame[] = [];
  for await (const frame of framesOf(answer)) frames.push(frame);
  return frames;
}

/** For tests: the text of the answer that frames tell. */
export function textOf(frames: TestFrame[]): string {
  return frames.map(({ event, data }) => (event === "message" ? String(data.content) : "")).join("");
}

/** For tests: whether the last frame's count and digest are those of the frames before it. */
export function isWhole(frames: TestFrame[]): boolean {
  const done = frames.at(-1);
  const before = frames.slice(0, -1);
  const digest = createHash("sha256")
    .update(before.map(({ raw }) => raw).join("\n"))
    .digest("base64");
  const { count, digest: told } = done?.data ?? {};
  return done?.event === "done" && count === before.length && told === `sha256-${digest}`;
}

/** For tests: an agent that does what the test says, regardless of messages. */
export function agentOf(
  runTurn: (ctx: TurnContext) => Promise<TurnResult> | TurnResult,
): Agent & { turn: typeof runTurn } {
  const agent = {
    turn: runTurn,
    models: () => [],
    runTurn: async (ctx: TurnContext) => await agent.turn(ctx),
  };
  return agent;
}

export type TestSocket = Socket & {
  heard: { event: string; payload: unknown }[];
  next: (event: string) => Promise<unknown>;
};

/** For tests: a socket of the user in a session, not connected yet. */
export function socketOf(
  { url }: Pick<TestOracle, "url">,
  sessionId: string | undefined,
  auth: Record<string, string>,
): TestSocket {
  const query = sessionId === undefined ? {} : { sessionId };
  const socket = io(url, {
    query,
    auth,
    transports: ["websocket"],
    reconnection: false,
    forceNew: true,
    autoConnect: false,
  });
  const heard: TestSocket["heard"] = [];
  socket.onAny((event: string, payload: unknown) => heard.push({ event, payload }));
  const next = (event: string) =>
    new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${event} came`)), 5_000);
      socket.once(event, (payload: unknown) => {
        clearTimeout(timer);
        resolve(payload);
      });
    });
  return Object.assign(socket, { heard, next });
}

/** For tests: connect; the message of the refusal, or undefined. */
export async function connect(socket: TestSocket): Promise<string | undefined> {
  return await new Promise((resolve) => {
    socket.once("connected", () => resolve(undefined));
    socket.once("connect_error", (error) => resolve(error.message));
    socket.connect();
  });
}

export const stream = (user: TestUser, sessionId: string, message = "hello", more: object = {}) =>
  user.call("POST", `/messages/${encodeURIComponent(sessionId)}`, { message, stream: true, ...more });
