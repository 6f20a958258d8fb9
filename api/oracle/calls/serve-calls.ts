import type { Socket } from "socket.io";
import type { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { type LiveCalls, roomOfParticipant } from "./live-calls.ts";
import { joinMessage, keyMessage, signalMessage, stateMessage } from "./schemas.ts";
import type { CallRow } from "./tables.ts";

/** The user of a socket: the owner of a session, or a guest of one call. */
export type CallSpeaker = { user: string; sessionId: string } | { user: string; invitedTo: string };

type Hearing = { socket: Socket; calls: LiveCalls; speaker: CallSpeaker; log: Log };

/** Handle a socket's messages about live calls, with an acknowledgement: the result, or `{error: {code, message}}`. */
export function serveCalls(hearing: Hearing): void {
  const { socket, calls } = hearing;
  /** This socket's participant; a socket has at most one. */
  let own: string | undefined;
  // Messages are handled in order, so that joining and then leaving has the effect of leaving.
  let working: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = working.then(work);
    working = done.catch(() => {});
    return done;
  };
  const leave = async () => {
    const id = own;
    own = undefined;
    if (id === undefined) return;
    await socket.leave(roomOfParticipant(id));
    await calls.leave(id, { socketId: socket.id });
  };
  const enter = async (id: string) => {
    own = id;
    await socket.join(roomOfParticipant(id));
  };
  const present = (): string => {
    if (own === undefined) throw new AppError("CONFLICT", "Join the call first.");
    return own;
  };
  const on = <Schema extends z.ZodType>(
    event: string,
    schema: Schema | undefined,
    act: (message: z.output<Schema>) => Promise<object>,
  ) => hear(hearing, event, schema, (message) => inTurn(() => act(message)));

  on("call_join", joinMessage, async ({ agent, resume, ...given }) => {
    const did = hearing.speaker.user;
    const about = { ...given, did, socketId: socket.id };
    if (resume !== own) await leave();
    const call = await callOf(hearing, resume === undefined);
    const { id, others } =
      resume === undefined
        ? await calls.join(call.id, { ...about, kind: "user" }, enter)
        : await calls.resume(call.id, { ...about, id: resume }, enter);
    const invites = agent && did === call.userDid && calls.hasAgent;
    // Do not wait for the agent: clients are notified when it joins, as for any participant.
    if (invites)
      void calls
        .bringAgent(call)
        .catch((err: unknown) => hearing.log.error({ err }, "the agent could not join a call"));
    const iceServers = calls.iceServersFor(id);
    return { callId: call.id, participantId: id, participants: others, iceServers, agent: invites };
  });
  on("call_ice_servers", undefined, async () => ({ iceServers: calls.iceServersFor(present()) }));
  on("call_leave", undefined, async () => {
    await leave();
    return { left: true };
  });
  on("call_signal", signalMessage, async ({ to, ...signal }) => {
    await calls.relay(present(), to, "call_signal", signal);
    return { sent: true };
  });
  on("call_key", keyMessage, async ({ to, ...key }) => {
    await calls.relay(present(), to, "call_key", key);
    return { sent: true };
  });
  on("call_state", stateMessage, async (state) => {
    await calls.setState(present(), state);
    return { told: true };
  });
  on("call_invite", undefined, async () => {
    present();
    if (!("sessionId" in hearing.speaker)) throw new AppError("FORBIDDEN", "Only the owner of a call invites to it.");
    return await calls.invite((await callOf(hearing, false)).id);
  });
  socket.on("disconnect", (reason) => {
    // A client that disconnects on purpose leaves; one with a broken connection may return.
    const isMeant = reason === "client namespace disconnect";
    const miss = async () => (own === undefined ? undefined : await calls.miss(own, socket.id));
    calls.finish(inTurn(isMeant ? leave : miss));
  });
}

/** @param begins whether to start a call if none is running */
async function callOf({ calls, speaker }: Hearing, begins: boolean): Promise<CallRow> {
  if ("invitedTo" in speaker) return await calls.ofInvitation(speaker.invitedTo);
  return begins ? await calls.ofSession(speaker.sessionId, speaker.user) : await calls.underWay(speaker.sessionId);
}

function hear<Schema extends z.ZodType>(
  { socket, log }: Hearing,
  event: string,
  schema: Schema | undefined,
  act: (message: z.output<Schema>) => Promise<object>,
): void {
  const handle = async (given: unknown): Promise<object> => {
    try {
      const parsed = schema?.safeParse(given);
      if (parsed?.success === false) throw new AppError("INVALID_INPUT", `The message is not a valid ${event}.`);
      return await act(parsed?.data as z.output<Schema>);
    } catch (error) {
      if (error instanceof AppError) return errorReply(error.code, error.message);
      log.error({ err: error, event }, "a message of a call could not be handled");
      return errorReply("INTERNAL", "Something went wrong on our side. It has been recorded.");
    }
  };
  socket.on(event, (...given: unknown[]) => {
    const acknowledge = given.at(-1);
    void handle(given[0]).then((answer) => {
      if (typeof acknowledge === "function") acknowledge(answer);
    });
  });
}

function errorReply(code: string, message: string): object {
  return { error: { code, message } };
}
