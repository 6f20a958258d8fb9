import { expect, it, vi } from "vitest";
import { loadedAssets, watchLoadedAssets } from "./loaded-assets.ts";

it("lists every loaded file of the console, however many requests the page makes", () => {
  const record: string[] = [];
  const hearers: (() => void)[] = [];
  const most = 5;
  vi.stubGlobal("performance", {
    getEntriesByType: () => record.map((path) => ({ name: new URL(path, window.location.origin).href })),
    addEventListener: (_event: string, hear: () => void) => hearers.push(hear),
    clearResourceTimings: () => record.splice(0),
  });
  const load = (path: string) => {
    if (record.length === most) for (const hear of hearers) hear();
    if (record.length < most) record.push(path);
  };
  watchLoadedAssets();
  load("/console/assets/a.js");
  for (let i = 0; i < 12; i += 1) load(`/v1/vouchers?cursor=${i}`);
  load("/console/assets/b.js");
  load("https://elsewhere.example/console/assets/c.js");
  expect(loadedAssets()).toEqual(["/console/assets/a.js", "/console/assets/b.js"]);
  vi.unstubAllGlobals();
});
