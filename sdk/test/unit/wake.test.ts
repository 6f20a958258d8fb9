import { afterEach, expect, test, vi } from "vitest";
import { onWake } from "../../src/core/wake.ts";

afterEach(() => vi.unstubAllGlobals());

test("calls back when the page is restored or online again, and not after it was stopped", () => {
  const wake = vi.fn();
  const leave = onWake(wake);
  window.dispatchEvent(new Event("online"));
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: false }));
  document.dispatchEvent(new Event("visibilitychange"));
  expect(wake).toHaveBeenCalledTimes(3);
  leave();
  window.dispatchEvent(new Event("online"));
  document.dispatchEvent(new Event("visibilitychange"));
  expect(wake).toHaveBeenCalledTimes(3);
});

test("removes its listeners when stopped after window teardown", () => {
  const wake = vi.fn();
  const leave = onWake(wake);
  const page = document;
  const tell = window.dispatchEvent.bind(window);
  for (const name of ["document", "window", "removeEventListener"]) vi.stubGlobal(name, undefined);
  leave();
  page.dispatchEvent(new Event("visibilitychange"));
  tell(new Event("online"));
  expect(wake).not.toHaveBeenCalled();
});

test("does nothing outside a page", () => {
  vi.stubGlobal("document", undefined);
  expect(() => onWake(() => {})()).not.toThrow();
});
