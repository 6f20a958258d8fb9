import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askPhone, cancelPurchase, findRequest } from "./ask-phone.ts";
import { askedPurchase } from "./asked-purchase.ts";

const order = { voucherId: "VCHR-1", supplierDid: "did:x:s", productId: "P", amount: 5_500_000n };
const request = { requestId: "REQ-1", status: "waiting", expiresAt: "2026-01-01T00:15:00.000Z", amount: 5.5 };

let sent: { path: string; key: string | null; body: string }[];
beforeEach(() => {
  sessionStorage.clear();
  sent = [];
});
afterEach(() => vi.unstubAllGlobals());

/** Let the server answer with these, in order; "lost": no answer comes. */
function serve(...answers: ("lost" | [status: number, body: object])[]) {
  vi.stubGlobal("fetch", async (given: Request) => {
    const { pathname } = new URL(given.url);
    sent.push({ path: pathname, key: given.headers.get("idempotency-key"), body: await given.text() });
    const answer = answers.shift();
    if (answer === undefined || answer === "lost") throw new TypeError("Failed to fetch");
    return Response.json(answer[1], { status: answer[0] });
  });
}

describe("asking a household's phone", () => {
  it("keeps the purchase when the answer is lost, and finds its request with the same key", async () => {
    serve("lost", [201, request], [200, { ...request, status: "cancelled" }]);
    const asked = await askPhone(order, "Stove");
    expect(askedPurchase("did:x:s")).toEqual(asked);
    expect(asked).toMatchObject({ productName: "Stove", amount: "5.5" });
    expect(await findRequest(asked)).toBe("REQ-1");
    expect(sent[1]).toEqual(sent[0]);
    expect(askedPurchase("did:x:s")).toMatchObject({ requestId: "REQ-1", until: request.expiresAt });
    expect((await cancelPurchase(asked))?.status).toBe("cancelled");
    expect(sent.map(({ path }) => path).at(-1)).toBe("/v1/phones/requests/REQ-1/cancel");
    expect(sent.length).toBe(3);
  });

  it("gives an equal purchase another key, so that it does not get the answer to the one before", async () => {
    serve("lost", [201, request]);
    for (const _ of [1, 2]) await askPhone(order, "Stove");
    expect(sent[0]?.body).toBe(sent[1]?.body);
    expect(sent[0]?.key).not.toBe(sent[1]?.key);
  });

  it("forgets the purchase when the service refuses to ask", async () => {
    serve([429, { code: "RATE_LIMITED", message: "A key may ask 10 households a minute." }]);
    await expect(askPhone(order, "Stove")).rejects.toMatchObject({ code: "RATE_LIMITED" });
    expect(askedPurchase("did:x:s")).toBeUndefined();
  });

  it("keeps the purchases of two suppliers apart", async () => {
    serve([201, request], [201, { ...request, requestId: "REQ-2" }]);
    const first = await askPhone(order, "Stove");
    await askPhone({ ...order, supplierDid: "did:x:other" }, "Stove");
    expect(await findRequest(first)).toBe("REQ-1");
  });
});

describe("cancelling a purchase by phone", () => {
  it("says that there is no request when the service knows none, and throws while that is not known", async () => {
    serve([201, request], "lost", [401, { code: "UNAUTHENTICATED", message: "" }], [404, { code: "NOT_FOUND" }]);
    const asked = await askPhone(order, "Stove");
    await expect(cancelPurchase(asked)).rejects.toMatchObject({ status: 0 });
    await expect(cancelPurchase(asked)).rejects.toMatchObject({ status: 401 });
    expect(await cancelPurchase(asked)).toBeUndefined();
  });
});
