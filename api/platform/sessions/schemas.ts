import { z } from "@hono/zod-openapi";
import { roles } from "../http/index.ts";
import { publicJwk } from "../keys/index.ts";
import { did, identifier } from "../values/text.ts";
import { capacities } from "./standing.ts";

const actsAs = z.enum(capacities).openapi({ description: "What the account acts as." });
/** Largest signature of a contract wallet, in bytes. */
const signatureBytes = 4096;

export const signInNonce = z
  .object({
    nonce: z.string().openapi({ description: "Goes into one message, and works once." }),
    expiresAt: z.iso.datetime(),
    domain: z.string().openapi({ example: "hearth.example", description: "The message's domain." }),
    uri: z.string().openapi({ example: "https://hearth.example", description: "The message's URI." }),
    version: z.literal("1"),
    chainId: z.number().int(),
  })
  .openapi("SignInNonce");

export const newSession = z
  .strictObject({
    message: z.string().min(1).max(4096).openapi({
      description:
        "A Sign-In with Ethereum message (ERC-4361). Its resources name the proof key by its RFC 9278 thumbprint.",
    }),
    signature: z
      .string()
      .regex(new RegExp(`^0x([0-9a-fA-F]{2}){1,${signatureBytes}}$`), "Hexadecimal bytes of a signature are expected.")
      .transform((text) => text as `0x${string}`)
      .openapi({ type: "string", description: "The account's own (EIP-191), or its contract's (ERC-1271, ERC-6492)." }),
    publicJwk: publicJwk.openapi({ description: "Public key of the DPoP proofs that go with every request." }),
    actsAs: actsAs.optional().openapi({ description: "Absent: the standing with the most rights." }),
    did: did.optional().openapi({ description: "Whom the account acts for, where it may act for several." }),
  })
  .openapi("NewSession");
export type NewSession = z.output<typeof newSession>;

export const sessionChange = z.strictObject({ actsAs, did: did.optional() }).openapi("SessionChange");
export type SessionChange = z.output<typeof sessionChange>;

const standing = z.object({ actsAs, did: z.string().nullable() }).openapi("Standing");

export const session = z
  .object({
    id: z.string(),
    address: z.string().openapi({ description: "The account, with a checksum." }),
    actsAs,
    did: z.string().nullable().openapi({ description: "The supplier, implementer or household it acts for." }),
    inForce: z
      .boolean()
      .openapi({ description: "False: the account is that no more, and the session only reads what everybody may." }),
    role: z.enum(roles).openapi({ description: "The role by which requests are judged." }),
    standings: z.array(standing).openapi({ description: "All that the account may act as now." }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .openapi("Session");
export type Session = z.output<typeof session>;

export const createdSession = session
  .extend({ token: z.string().openapi({ description: "The session's token. It is shown only once." }) })
  .openapi("CreatedSession");
export type CreatedSession = z.output<typeof createdSession>;

export const sessionParams = z.strictObject({ id: identifier(64) });
