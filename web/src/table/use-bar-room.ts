import { type RefObject, useLayoutEffect, useState } from "react";

/** Height of a scrollbar that is drawn over the content, as on phones, in px. */
const overlayHeight = 12;

/** Space that a horizontal scrollbar needs below the last row, in px. */
export type BarRoom = {
  /** Height of a scrollbar that takes space from the frame. */
  outside: number;
  /** Height of a scrollbar that covers the content. */
  inside: number;
};

const none: BarRoom = { outside: 0, inside: 0 };

/** Measure the frame's horizontal scrollbar, so that it never hides the last row. */
export function useBarRoom(frame: RefObject<HTMLElement | null>): BarRoom {
  const [room, setRoom] = useState(none);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => {
      const next = roomOf(element);
      setRoom((was) => (was.outside === next.outside && was.inside === next.inside ? was : next));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [frame]);
  return room;
}

function roomOf({ offsetHeight, clientHeight, clientTop, scrollWidth, clientWidth }: HTMLElement): BarRoom {
  if (scrollWidth <= clientWidth) return none;
  const outside = offsetHeight - clientHeight - 2 * clientTop;
  return outside > 0 ? { outside, inside: 0 } : { outside: 0, inside: overlayHeight };
}
