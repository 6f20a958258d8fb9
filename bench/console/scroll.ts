import type { Page } from "playwright-core";

/** A table while it scrolls; times in milliseconds. */
export type Scrolled = {
  /** Time between frames. */
  frames: number[];
  /** Tasks of 50 ms and more, which block the page. */
  longTasks: number[];
  /** Share of frames with an area without any row, and with a row that was still loading. */
  bare: number;
  waiting: number;
  /** Distance scrolled. */
  pixels: number;
};

export type Course = { label: string; milliseconds: number; pixelsPerSecond: number };

/** Scroll a table at a constant speed, forwards and backwards between its ends. */
export function scroll(page: Page, course: Course): Promise<Scrolled> {
  return page.getByRole("region", { name: course.label }).evaluate(async (frame, { milliseconds, pixelsPerSecond }) => {
    const longTasks: number[] = [];
    const observer = new PerformanceObserver((list) =>
      longTasks.push(...list.getEntries().map(({ duration }) => duration)),
    );
    observer.observe({ entryTypes: ["longtask"] });
    const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const rowHeight = 44;
    const totalRows = Number(frame.querySelector("[aria-rowcount]")?.getAttribute("aria-rowcount")) - 1;
    const waitingClass = [...document.styleSheets]
      .flatMap((sheet) => [...sheet.cssRules])
      .map((rule) => /^\.([\w-]*waiting[\w-]*)$/.exec((rule as CSSStyleRule).selectorText ?? "")?.[1])
      .find((name) => name !== undefined) as string;
    const body = frame.querySelectorAll('[role="rowgroup"]')[1] as Element;
    // Rows are in the order of their positions.
    const placeOf = (row: Element | null) => Number(row?.getAttribute("aria-rowindex") ?? 2) - 2;
    const look = () => {
      const first = Math.floor(frame.scrollTop / rowHeight);
      const shown = first + Math.floor(frame.clientHeight / rowHeight) - 2;
      const last = totalRows < 0 ? shown : Math.min(shown, totalRows - 1);
      const isBare = placeOf(body.firstElementChild) > first || placeOf(body.lastElementChild) < last;
      const waits = [...body.getElementsByClassName(waitingClass)].map((cell) => placeOf(cell.closest("[role=row]")));
      return { isBare, isWaiting: waits.some((place) => place >= first && place <= last) };
    };
    const frames: number[] = [];
    let [bare, waiting, direction, pixels] = [0, 0, 1, 0];
    const begin = await nextFrame();
    for (let last = begin; last - begin < milliseconds; ) {
      const now = await nextFrame();
      frames.push(now - last);
      const { isBare, isWaiting } = look();
      bare += Number(isBare);
      waiting += Number(isWaiting);
      const end = frame.scrollHeight - frame.clientHeight;
      if (frame.scrollTop >= end - 1) direction = -1;
      if (frame.scrollTop <= 0) direction = 1;
      const step = ((now - last) / 1_000) * pixelsPerSecond;
      frame.scrollTop += direction * step;
      pixels += step;
      last = now;
    }
    observer.disconnect();
    return { frames, longTasks, bare: bare / frames.length, waiting: waiting / frames.length, pixels };
  }, course);
}

/** Frame times of the same idle page: the best that this machine can do. */
export function idle(page: Page, milliseconds: number): Promise<number[]> {
  return page.evaluate(async (duration) => {
    const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
    const frames: number[] = [];
    const begin = await nextFrame();
    for (let last = begin; last - begin < duration; ) {
      const now = await nextFrame();
      frames.push(now - last);
      last = now;
    }
    return frames;
  }, milliseconds);
}

/** Jump to a share (0–1) of the table's height; milliseconds until every visible row is loaded. */
export function jump(page: Page, label: string, share: number): Promise<number> {
  return page.getByRole("region", { name: label }).evaluate(async (frame, to) => {
    const begin = performance.now();
    frame.scrollTop = (frame.scrollHeight - frame.clientHeight) * to;
    for (;;) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const { top, bottom } = frame.getBoundingClientRect();
      const shown = [...frame.querySelectorAll('[role="row"]:not([aria-rowindex="1"])')].filter((row) => {
        const place = row.getBoundingClientRect();
        return place.bottom > top + 44 && place.top < bottom;
      });
      const isWhole = shown.length > 0 && shown.every((row) => row.querySelector('[class*="waiting"]') === null);
      if (isWhole) return performance.now() - begin;
      if (performance.now() - begin > 30_000) throw new Error("The rows did not come within 30 s.");
    }
  }, share);
}
