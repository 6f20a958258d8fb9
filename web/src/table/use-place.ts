import { useDebouncedCallback } from "@mantine/hooks";
import { type RefObject, useEffect, useRef } from "react";
import { rowHeight } from "./grid-rows.tsx";

/** Pause after scrolling before the place is reported, in milliseconds. */
const restMs = 400;

type PlaceOptions = {
  frame: RefObject<HTMLElement | null>;
  /** The first row in view, from 0. */
  place: number | undefined;
  onPlace: ((place: number) => void) | undefined;
  /** Number of rows to scroll through so far. */
  places: number;
  /** Whether the number of rows is known. */
  isKnown: boolean;
};

/** Scroll a table to its place when it opens, and report where it is when scrolling has stopped. Returns the frame's listener. */
export function usePlace({ frame, place = 0, onPlace, places, isKnown }: PlaceOptions): () => void {
  // A list with cursors gets longer while it is read, so its place may be reached only after some pages.
  const wanted = useRef(place);
  useEffect(() => {
    if (!isKnown || wanted.current === 0) return;
    frame.current?.scrollTo({ top: Math.min(wanted.current, places) * rowHeight });
    if (places > wanted.current) wanted.current = 0;
  }, [isKnown, places, frame]);
  const report = useDebouncedCallback(() => {
    const top = frame.current?.scrollTop;
    if (top === undefined || wanted.current !== 0) return;
    const now = Math.floor(top / rowHeight);
    if (now !== place) onPlace?.(now);
  }, restMs);
  return report;
}
