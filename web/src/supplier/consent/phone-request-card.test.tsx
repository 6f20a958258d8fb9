// @vitest-environment jsdom
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { chooseLanguage, loadTexts, startI18n } from "../../i18n/i18n.ts";
import { keepPurchase } from "./asked-purchase.ts";
import { PhoneRequestCard } from "./phone-request-card.tsx";

type Answer = "lost" | [status: number, body: object];

let reads: number;
beforeAll(async () => {
  await startI18n();
  await chooseLanguage("en");
  await loadTexts(["supplier"]);
});
beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {}, removeEventListener() {} }));
  sessionStorage.clear();
  queryClient.clear();
  reads = 0;
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const inFuture = "2099-01-01T00:00:00.000Z";
const inPast = "2020-01-01T00:00:00.000Z";
const of = (status: string): Answer => [200, { requestId: "REQ-1", status, expiresAt: inFuture, redemptionId: null }];

/** Show a purchase whose request is read and cancelled with these answers; the last one is repeated. */
function show({ read, cancel = [], until = inFuture }: { read: Answer[]; cancel?: Answer[]; until?: string }) {
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const isCancel = new URL(url).pathname.endsWith("/REQ-1/cancel");
    if (!isCancel) reads++;
    const answers = isCancel ? cancel : read;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === undefined || answer === "lost") throw new TypeError("Failed to fetch");
    return Response.json(answer[1], { status: answer[0] });
  });
  const asked = {
    key: "K-1",
    body: "{}",
    requestId: "REQ-1",
    supplierDid: "did:x:s",
    voucherId: "VCHR-1",
    productName: "Stove",
    amount: "5",
    until,
  };
  keepPurchase(asked);
  const [onNext, onOtherWay] = [vi.fn(), vi.fn()];
  render(
    <QueryClientProvider client={queryClient}>
      <MantineProvider env="test">
        <PhoneRequestCard asked={asked} onNext={onNext} onOtherWay={onOtherWay} />
      </MantineProvider>
    </QueryClientProvider>,
  );
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  return { onNext, onOtherWay, press };
}

describe("a purchase that the household's phone was asked to approve", () => {
  it("is left only after it was cancelled", async () => {
    const { onNext, press } = show({ read: [of("waiting")], cancel: ["lost", of("cancelled")] });
    await screen.findByText(/The household was asked/);
    press("Next voucher");
    await screen.findByText(/The request is not cancelled/);
    expect(onNext).not.toHaveBeenCalled();
    press("Next voucher");
    await waitFor(() => expect(onNext).toHaveBeenCalledOnce());
  });

  it("is shown with what the household did meanwhile, instead of being left", async () => {
    const { onOtherWay, press } = show({ read: [of("waiting"), of("sent")], cancel: [of("sent")] });
    await screen.findByText(/The household was asked/);
    press("Cancel and choose another way");
    await screen.findByText(/The payment is being recorded/);
    expect(onOtherWay).not.toHaveBeenCalled();
    expect(screen.queryByRole("button", { name: "Cancel and choose another way" })).toBeNull();
  });

  it("can be left without an answer when its time is over, after the person was warned", async () => {
    const { onNext, press } = show({ read: [of("waiting")], cancel: ["lost"], until: inPast });
    await screen.findByText(/The household was asked/);
    press("Next voucher");
    await screen.findByText(/The request is not cancelled/);
    expect(onNext).not.toHaveBeenCalled();
    press("Next voucher");
    await waitFor(() => expect(onNext).toHaveBeenCalledOnce());
  });

  it("shows an error that comes after the first answer, and is not read again", async () => {
    const unknown: Answer = [404, { code: "NOT_FOUND", message: "There is no request REQ-1." }];
    show({ read: [of("waiting"), unknown] });
    await screen.findByText(/The household was asked/);
    await screen.findByText("There is no request REQ-1.", {}, { timeout: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(reads).toBe(2);
  });

  it("is read again after a lost answer", async () => {
    show({ read: [of("waiting"), "lost", "lost", "lost", "lost", of("refused")] });
    await screen.findByText(/The household was asked/);
    await screen.findByText("The household refused. Nothing was paid.", {}, { timeout: 30_000 });
    expect(reads).toBe(6);
  });
});
