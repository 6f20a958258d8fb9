import { useEffect } from "react";
import { queryClient } from "../../api/query-client.ts";
import { useStore } from "../../session/use-store.ts";
import { isRemembered } from "../../session/vault.ts";
import { sendOutbox, subscribeOutbox, type Waiting, waitingMeasurements } from "./kpt-outbox.ts";

/** Interval between attempts while something waits, in milliseconds. */
const tryMs = 20_000;

/** The unsent measurements, which are sent automatically; each is filed once. */
export function useOutbox(): readonly Waiting[] {
  const waiting = useStore(subscribeOutbox, waitingMeasurements);
  const isDue = waiting.some(({ refused }) => refused === undefined);
  useEffect(() => {
    if (!isDue) return;
    const send = async () => {
      if ((await sendOutbox()) > 0) await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
    };
    const again = () => void send();
    const timer = setInterval(again, tryMs);
    window.addEventListener("online", again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", again);
    };
  }, [isDue]);
  useEffect(() => {
    if (!isDue || isRemembered()) return;
    // Closing the tab would lose its unsent measurements.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [isDue]);
  return waiting;
}
