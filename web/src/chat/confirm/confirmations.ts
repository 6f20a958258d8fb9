import type { ConfirmationRequest } from "@hearth/oracles-client-sdk";
import { useCallback, useEffect, useRef, useState } from "react";

type Open = { request: ConfirmationRequest; answer: (confirmed: boolean) => void };

/** Queue of the oracle's questions to the user. Questions that are open when the page closes are refused. */
export function useConfirmations() {
  const [open, setOpen] = useState<readonly Open[]>([]);
  const latest = useRef(open);
  latest.current = open;
  const ask = useCallback(
    (request: ConfirmationRequest) =>
      new Promise<boolean>((answer) => setOpen((before) => [...before, { request, answer }])),
    [],
  );
  const answer = (confirmed: boolean) => {
    open[0]?.answer(confirmed);
    setOpen((before) => before.slice(1));
  };
  const refuseAll = useCallback(() => {
    for (const each of latest.current) each.answer(false);
    setOpen([]);
  }, []);
  useEffect(() => refuseAll, [refuseAll]);
  return { request: open[0]?.request, ask, answer, refuseAll };
}
