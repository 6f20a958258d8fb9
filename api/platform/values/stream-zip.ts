import { makeZip } from "client-zip";

/**
 * Stream a ZIP. Its source ends also when the reader stops early.
 * @throws as `entries` or their content, mid-stream
 */
export async function* streamZip(entries: Parameters<typeof makeZip>[0]): AsyncGenerator<Uint8Array> {
  const reader = makeZip(entries, { buffersAreUTF8: true }).getReader();
  const stopped = new Error("The reader of the ZIP has stopped.");
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // The ZIP library throws the reason into its source, and then returns it.
    await reader.cancel(stopped).catch((error: unknown) => {
      if (error !== stopped) throw error;
    });
  }
}
