import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { HearthError } from "../../../../wire/src/errors.ts";
import { type Decimal, parseExact, stringifyExact } from "../../../../wire/src/exact.ts";
import { isUndecided } from "../../api/error.ts";
import { type LateResult, settled } from "../../api/settled.ts";
import { keep, kept } from "../../session/vault.ts";

/** A signed order as sent: each repeat has the same bytes and the same Idempotency-Key. */
export type SignedOrder = { text: string; idempotencyKey: string };

/**
 * The body of POST /v1/transactions/prepare by which an implementer cancels an order that it signed. The nonce is text, since it has more
 * digits than the API accepts in a number.
 */
export type OrderCancellation = { implementerDid: string; nonce: string } & (
  | { action: "pool-cancel-order"; side: "buy" }
  | { action: "itmo-cancel-order" }
);

/** The nonce that an order was signed with. */
export function nonceOf({ text }: SignedOrder): string {
  const { signatures } = parseExact(text) as { signatures: { nonce: Decimal } };
  return String(signatures.nonce);
}

export const signedOrder = (body: object, idempotencyKey: string): SignedOrder => ({
  text: stringifyExact(body),
  idempotencyKey,
});

type Sending<T> = {
  /** Name of the order and its account: `swap <did>`. At most one of each name is open. */
  name: string;
  send: (options: { json: string; idempotencyKey: string }) => Promise<T>;
  /** Makes the result from the operation, for an order whose block was mined late. */
  readLate: (result: LateResult) => Promise<T>;
  onDone: (answer: T) => void;
};

/**
 * Send signed orders, each until the API has answered. An order whose answer was lost may have been carried out, and a
 * second signature could carry it out twice. So it stays open, also after a reload, and is resent unchanged.
 */
export function useOrder<T>({ name, send, readLate, onDone }: Sending<T>) {
  const place = `order.${name}`;
  const [open, setOpen] = useState(() => kept<SignedOrder>(place));
  const [cancelledBy, setCancelledBy] = useState<string>();
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: async (sign: () => Promise<SignedOrder>) => {
      setCancelledBy(undefined);
      const order = open ?? (await sign());
      keep(place, order);
      const { text, idempotencyKey } = order;
      try {
        return close(await settled(() => send({ json: text, idempotencyKey }), readLate));
      } catch (error) {
        if (error instanceof HearthError && !isUndecided(error)) close(undefined);
        else setOpen(order);
        throw error;
      }
    },
    onSuccess: onDone,
  });
  function close<Answer>(answer: Answer): Answer {
    keep(place, undefined);
    setOpen(undefined);
    return answer;
  }
  return {
    /** The order without an answer. */
    open,
    isPending,
    error,
    /** Sign and send an order, or resend the open order instead. */
    send: (sign: () => Promise<SignedOrder>) => mutate(sign),
    /** Resend the open order. */
    sendAgain: () => open !== undefined && mutate(async () => open),
    /** Hash of the transaction that cancelled the last order. */
    cancelledBy,
    /** Delete the open order, which a transaction has cancelled. */
    onCancelled: (transactionHash: string) => {
      close(undefined);
      reset();
      setCancelledBy(transactionHash);
    },
  };
}
