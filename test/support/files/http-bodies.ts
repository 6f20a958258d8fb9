/** For tests: a request body that is sent piece by piece, when the test says so. */
export function slowBody() {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  return {
    init: { body, duplex: "half" } as RequestInit,
    send: (bytes: Uint8Array | string) => controller.enqueue(typeof bytes === "string" ? Buffer.from(bytes) : bytes),
    end: () => controller.close(),
    breakOff: () => controller.error(new Error("gone")),
  };
}

/** For tests: headers of a tus request. */
export function tusHeaders(more: Record<string, string>): Record<string, string> {
  return { "tus-resumable": "1.0.0", ...more };
}

export function tusMetadata(path: string): string {
  return `path ${Buffer.from(path).toString("base64")}`;
}
