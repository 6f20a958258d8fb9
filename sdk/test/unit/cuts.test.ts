import { beforeAll, describe, expect, it } from "vitest";
import { Connections, followRun, type OracleClient, postMessage, type RunEvent } from "../../src/core.ts";
import { acts, visit } from "../visitor.tsx";

const words = ["Stöve ", "🔥 ", "line\nbreak ", "data: no\n\n", "end."];

describe("a stream whose connection is cut", () => {
  let client: OracleClient;
  let runId = "";
  let bytes = new Uint8Array();
  beforeAll(async () => {
    const visitor = await visit();
    const { did, props, oracleDid, overrides } = visitor;
    client = new Connections({ ...props, userDid: did }).clientOf(oracleDid, overrides.baseUrl);
    const { signal } = new AbortController();
    const message = { message: acts([{ text: words }]), requestId: crypto.randomUUID() };
    const response = await postMessage(client, await visitor.session(), message, { signal });
    runId = response.headers.get("x-run-id") ?? "";
    bytes = new Uint8Array(await response.arrayBuffer());
  });

  /** Send the first bytes of the stream in chunks of this size, then end it or break the connection. */
  const cutAt = (place: number, pieceSize: number, breaks: boolean): Response => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (out) => {
        const begin = sent;
        sent = Math.min(begin + pieceSize, place);
        if (begin < place) out.enqueue(bytes.slice(begin, sent));
        else if (breaks) out.error(new TypeError("network error"));
        else out.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

  const follow = async (response: Response) => {
    let events: RunEvent[] = [];
    const done = await followRun({
      client,
      runId,
      response,
      signal: new AbortController().signal,
      onEvent: (event) => void events.push(event),
      onRestart: () => {
        events = [];
      },
    });
    const said = events.map(({ event, data }) => (event === "message" ? data.content : "")).join("");
    return { said, order: events.map(({ seq }) => seq), count: done.count };
  };

  it("is complete wherever it was cut: nothing lost, nothing repeated", async () => {
    const whole = await follow(cutAt(bytes.length, bytes.length, false));
    expect(whole.said).toBe(words.join(""));
    expect(whole.order).toEqual(whole.order.map((_, i) => i + 1));
    expect(bytes.length).toBeGreaterThan(500);
    // Every byte at the start and the end of the stream, and every fifth between, with multi-byte characters among them.
    const isNear = (place: number) => place < 250 || place > bytes.length - 250 || place % 5 === 0;
    const places = Array.from({ length: bytes.length }, (_, place) => place).filter(isNear);
    for (let first = 0; first < places.length; first += 300) {
      const followed = places.slice(first, first + 300).map(async (place) => {
        // Alternate ends and breaks, large and tiny chunks.
        const seen = await follow(cutAt(place, 1 + ((place * 7) % 64), place % 2 === 1));
        expect({ place, ...seen }).toEqual({ place, ...whole });
      });
      await Promise.all(followed);
    }
  }, 60_000);
});
