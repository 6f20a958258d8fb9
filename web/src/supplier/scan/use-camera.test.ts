import { expect, it } from "vitest";
import { cameraProblem } from "./use-camera.ts";

it("distinguishes why a camera gives no picture", () => {
  const named = (name: string) => cameraProblem(new DOMException("", name));
  expect(named("NotAllowedError")).toBe("denied");
  expect(named("NotFoundError")).toBe("missing");
  expect(named("NotReadableError")).toBe("busy");
  expect(cameraProblem(new TypeError("Failed to fetch"))).toBe("broken");
});
