import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Socket } from "socket.io";

/** Messages of one socket in ten seconds: a call of eight begins with some hundred. */
const limiter = new RateLimiterMemory({ points: 400, duration: 10 });
const error = { code: "RATE_LIMITED", message: "Too many messages. Wait a moment." };

/** Lets so many messages of a socket pass, in their order; the others are answered with a refusal, where an answer is asked for. */
export function limitMessages(socket: Socket): Parameters<Socket["use"]>[0] {
  return ([, ...given], next) => {
    const acknowledge: unknown = given.at(-1);
    limiter.consume(socket.id).then(
      () => next(),
      () => {
        if (typeof acknowledge === "function") acknowledge({ error });
      },
    );
  };
}
