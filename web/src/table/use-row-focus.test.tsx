// @vitest-environment jsdom
import { cleanup, fireEvent, render } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useRowFocus } from "./use-row-focus.ts";

const total = 100_000;
const open = vi.fn();
afterEach(() => {
  cleanup();
  open.mockReset();
});

/** The rows around the focused one, as a long table renders them. */
function Rows() {
  const frame = useRef<HTMLElement>(null);
  const focus = useRowFocus({ frame, total, rowsInSight: () => 15, reveal: () => {}, open });
  const { onFocus, onBlur, onKeyDown } = focus;
  return (
    <section ref={frame} {...{ onFocus, onBlur, onKeyDown }}>
      {[focus.active - 1, focus.active, focus.active + 1].map((index) => (
        <div key={index} data-index={index} tabIndex={-1}>
          <a href="/">{index}</a>
        </div>
      ))}
    </section>
  );
}

function press(...keys: string[]): string | undefined {
  for (const key of keys) fireEvent.keyDown(document.activeElement as Element, { key });
  return (document.activeElement as HTMLElement).dataset.index;
}

describe("keys in a table", () => {
  it("move the focus by a row, by a page, and to both ends of 100 000 rows", () => {
    const { container } = render(<Rows />);
    container.querySelector<HTMLElement>('[data-index="0"]')?.focus();
    expect(press("ArrowDown", "ArrowDown")).toBe("2");
    expect(press("PageDown")).toBe("16");
    expect(press("ArrowUp")).toBe("15");
    expect(press("End")).toBe("99999");
    expect(press("ArrowDown", "PageDown")).toBe("99999");
    expect(press("PageUp")).toBe("99985");
    expect(press("Home")).toBe("0");
    expect(press("ArrowUp", "x")).toBe("0");
  });

  it("open the focused row with Enter, except when a link in it has the focus", () => {
    const { container } = render(<Rows />);
    container.querySelector<HTMLElement>('[data-index="1"]')?.focus();
    press("Enter");
    expect(open.mock.calls).toEqual([[1]]);
    container.querySelector<HTMLElement>('[data-index="1"] a')?.focus();
    press("Enter");
    expect(open).toHaveBeenCalledTimes(1);
    press("ArrowDown");
    expect((document.activeElement as HTMLElement).dataset.index).toBe("2");
  });
});
