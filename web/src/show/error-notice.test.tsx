// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { HearthError } from "../../../wire/src/errors.ts";
import { chooseLanguage, startI18n } from "../i18n/i18n.ts";
import { ErrorNotice } from "./error-notice.tsx";

beforeAll(async () => {
  // Mantine reads the preferred colour scheme, which jsdom does not implement.
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  await startI18n();
});
afterEach(async () => {
  cleanup();
  await chooseLanguage("en");
});

const late = {
  path: "redemptionId",
  rule: "within-time-limit",
  message: "The claim was due by 1 May.",
  code: "claim-too-late",
  values: { time: "1 May" },
};
const other = { path: "quantity", rule: "range", message: "At most 5 are left." };

const show = (details: object[]) => {
  const error = new HearthError({
    status: 422,
    code: "UNPROCESSABLE",
    message: "The claim breaks a rule.",
    details: details as (typeof other)[],
  });
  render(
    <MantineProvider env="test">
      <ErrorNotice error={error} />
    </MantineProvider>,
  );
};

describe("a refusal of the API", () => {
  it("is said in the reader's language where its reasons have codes", async () => {
    await chooseLanguage("fr");
    show([late]);
    expect(await screen.findByText(/La déclaration était à déposer avant le 1 May/)).toBeTruthy();
    await vi.waitFor(() => expect(screen.queryByText("The claim breaks a rule.")).toBeNull());
    expect(screen.queryByText(/due by/)).toBeNull();
  });

  it("keeps the API's English, marked as such, for a reason without a code", async () => {
    await chooseLanguage("fr");
    show([late, other]);
    await vi.waitFor(() => expect(screen.queryByText(/due by/)).toBeNull());
    expect(screen.getByText("The claim breaks a rule.").getAttribute("lang")).toBe("en");
    expect(screen.getByText(/At most 5 are left/).closest("[lang=en]")).not.toBeNull();
  });

  it("says its error code in the reader's language before the API's English", async () => {
    await chooseLanguage("sw");
    render(
      <MantineProvider env="test">
        <ErrorNotice
          error={
            new HearthError({ status: 429, code: "RATE_LIMITED", message: "This key may send 60 requests a minute." })
          }
        />
      </MantineProvider>,
    );
    expect(await screen.findByText(/Maombi ni mengi mno/)).toBeTruthy();
    expect(screen.getByText("This key may send 60 requests a minute.").getAttribute("lang")).toBe("en");
    await chooseLanguage("en");
    expect(screen.queryByText(/Too many requests/)).toBeNull();
  });

  it("is the API's own sentences in English", () => {
    show([late]);
    expect(screen.getByText("The claim breaks a rule.")).toBeTruthy();
    expect(screen.getByText(/The claim was due by 1 May\./)).toBeTruthy();
  });
});
