// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isCodeLost, reloadForNewVersion } from "./new-version.ts";

describe("code of the page that cannot be loaded", () => {
  const reload = vi.fn();
  const serve = (page: string | undefined) =>
    vi.stubGlobal("fetch", async () => {
      if (page === undefined) throw new TypeError("Failed to fetch");
      return new Response(page);
    });
  beforeEach(() => {
    document.head.innerHTML = '<script type="module" src="/console/assets/index-1.js"></script>';
  });
  afterEach(() => {
    reload.mockClear();
    sessionStorage.clear();
    vi.unstubAllGlobals();
  });

  it("is recognised in each browser's words", () => {
    for (const message of [
      "Failed to fetch dynamically imported module: http://localhost:3000/console/assets/x.js",
      "error loading dynamically imported module: http://localhost:3000/console/assets/x.js",
      "Importing a module script failed.",
      "Unable to preload CSS for /console/assets/x.css",
    ]) {
      expect(isCodeLost(new TypeError(message))).toBe(true);
    }
    expect(isCodeLost(new TypeError("Failed to fetch"))).toBe(false);
    expect(isCodeLost("dynamically imported module")).toBe(false);
  });

  it("loads the page again when the server has another version, and not twice in a minute", async () => {
    serve('<script type="module" src="/console/assets/index-2.js"></script>');
    expect(await reloadForNewVersion(reload)).toBe(true);
    expect(await reloadForNewVersion(reload)).toBe(false);
    expect(reload).toHaveBeenCalledTimes(1);
  });

  it("does not load the page again for the same version, or without the server", async () => {
    serve('<script type="module" src="/console/assets/index-1.js"></script>');
    expect(await reloadForNewVersion(reload)).toBe(false);
    serve(undefined);
    expect(await reloadForNewVersion(reload)).toBe(false);
    expect(reload).not.toHaveBeenCalled();
  });
});
