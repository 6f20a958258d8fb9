import { z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import type { DidDocument } from "../../../platform/identity/index.ts";
import { proofFormat } from "./document.ts";
import type { ItmoFact } from "./fact.ts";
import type { HeaderJson } from "./header.ts";

const pattern = (form: RegExp, message: string) =>
  z
    .string()
    .regex(form, message)
    .transform((text) => text as Hex);
const bytes = pattern(/^0x(?:[0-9a-f]{2})+$/, "Bytes in lower case are expected, 0x and pairs of digits.");
const index = z.number().int().min(0).max(1_000_000);
/** A member that is compared with the value derived from the bytes, field by field. */
const derived = <T>() => z.looseObject({}).transform((value) => value as unknown as T);

/** A proof file. The verifier derives `header` and `fact` from the bytes and compares them. */
export const proofDocument = z
  .strictObject({
    format: z.literal(proofFormat),
    chainId: z.number().int().min(1),
    contract: pattern(/^0x[0-9a-f]{40}$/, "An address in lower case is expected."),
    block: z.strictObject({
      hash: pattern(/^0x[0-9a-f]{64}$/, "A hash in lower case is expected."),
      headerRlp: bytes,
      header: derived<HeaderJson>(),
    }),
    receipt: z.strictObject({
      transactionIndex: index,
      logIndex: index,
      rlp: bytes,
      proof: z.array(bytes).min(1).max(16),
    }),
    fact: derived<ItmoFact>(),
    credential: z.string().regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, "A compact JWT is expected."),
    issuer: derived<DidDocument>(),
  })
  .openapi("ItmoProof");
