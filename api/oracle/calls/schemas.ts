import { z } from "zod";

const id = z.string().min(1).max(64);
const base64Url = (longest: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(longest);
/** An uncompressed point on P-256: 65 bytes. */
const publicKey = z.string().regex(/^B[A-Za-z0-9_-]{86}$/);

/** A client's message to join a call. */
export const joinMessage = z.strictObject({
  publicKey,
  muted: z.boolean().default(false),
  video: z.boolean().default(false),
  /** Whether the oracle's agent should join the call. */
  agent: z.boolean().default(false),
  /** Id of the participant that reconnects by another socket. */
  resume: id.optional(),
});
export type JoinMessage = z.output<typeof joinMessage>;

const description = z.strictObject({ type: z.enum(["offer", "answer"]), sdp: z.string().max(64 * 1024) });
const candidate = z.strictObject({
  candidate: z.string().max(2_048),
  sdpMid: z.string().max(64).nullish(),
  sdpMLineIndex: z.int().min(0).max(64).nullish(),
  usernameFragment: z.string().max(256).nullish(),
});

/** A signalling message to one other participant. */
export const signalMessage = z
  .strictObject({
    to: id,
    description: description.optional(),
    /** True if the offer is for a new connection. */
    anew: z.literal(true).optional(),
    candidate: candidate.optional(),
  })
  .refine(({ description, candidate }) => (description === undefined) !== (candidate === undefined), "one of the two");

/** A sender's key, sealed for one other participant. */
export const keyMessage = z.strictObject({
  to: id,
  keyId: z
    .int()
    .min(0)
    .max(2 ** 32),
  iv: base64Url(32),
  sealed: base64Url(256),
});

export const stateMessage = z.strictObject({ muted: z.boolean(), video: z.boolean() });
