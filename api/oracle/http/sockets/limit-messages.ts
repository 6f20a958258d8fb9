import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Socket } from "socket.io";

/** Messages of one socket in ten seconds. Joining a call of eight takes some hundred. */
const limiter = new RateLimiterMemory({ points: 400, duration: 10 });
const error = { code: "RATE_LIMITED", message: "Too many messages. Wait a moment." };

/** Drop messages over the limit of a socket. The acknowledgement, if one is requested, is an error. */
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
