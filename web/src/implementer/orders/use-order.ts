import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { HearthError } from "../../../../wire/src/errors.ts";
import { stringifyExact } from "../../../../wire/src/exact.ts";
import { isUndecided } from "../../api/error.ts";
import { type LateResult, settled } from "../../api/settled.ts";
import { keep, kept } from "../../session/vault.ts";

/** An order that was signed, as it is sent: the same bytes under the same key however often. */
export type SignedOrder = { text: string; idempotencyKey: string };

export const signedOrder = (body: object, idempotencyKey: string): SignedOrder => ({
  text: stringifyExact(body),
  idempotencyKey,
});

type Sending<T> = {
  /** What is ordered, and by whom: `swap <did>`. One of each is open at most. */
  name: string;
  send: (options: { json: string; idempotencyKey: string }) => Promise<T>;
  /** The answer of an order whose block came late, from what its operation tells. */
  readLate: (result: LateResult) => Promise<T>;
  onDone: (answer: T) => void;
};

/**
 * Send signed orders, each until the API has judged it. One whose answer was lost may have been carried out, and another signature
 * would carry it out again: it stays open, also over a reload, and is sent as it was signed until its answer is there.
 */
export function useOrder<T>({ name, send, readLate, onDone }: Sending<T>) {
  const place = `order.${name}`;
  const [open, setOpen] = useState(() => kept<SignedOrder>(place));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (sign: () => Promise<SignedOrder>) => {
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
    /** The order that no verdict has come of. */
    open,
    isPending,
    error,
    /** Send what `sign` gives, or the open order instead. */
    send: (sign: () => Promise<SignedOrder>) => mutate(sign),
    /** Send the open order once more. */
    sendAgain: () => open !== undefined && mutate(async () => open),
  };
}
