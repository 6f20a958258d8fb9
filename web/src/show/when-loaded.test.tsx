// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { lazy } from "react";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { chooseLanguage, startI18n } from "../i18n/i18n.ts";
import { WhenLoaded } from "./when-loaded.tsx";

beforeAll(async () => {
  // Mantine reads the preferred colour scheme, which jsdom does not implement.
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  await startI18n();
  await chooseLanguage("en");
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const lost = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module: http://localhost/x.js"));
const show = (load: () => Promise<{ default: () => string }>) => {
  const Part = lazy(load);
  render(
    <MantineProvider env="test">
      <p>The page</p>
      <WhenLoaded fallback="Loading">
        <Part />
      </WhenLoaded>
    </MantineProvider>,
  );
};

it("shows a part when its code has come", async () => {
  show(async () => ({ default: () => "The part" }));
  expect(await screen.findByText("The part")).toBeTruthy();
});

it("says in its place that its code could not be loaded, offers to load the page again, and keeps the page", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  show(lost);
  const notice = await screen.findByRole("alert");
  expect(notice.textContent).toMatch(/A part of this page could not be loaded/);
  expect(notice.textContent).not.toMatch(/dynamically imported/);
  expect(notice.querySelector("button")).not.toBeNull();
  expect(screen.getByText("The page")).toBeTruthy();
});
