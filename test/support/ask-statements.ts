import assert from "node:assert/strict";
import { type Reader, StatementError } from "../../indexer/reader/reader.ts";

/** Asks each statement, for an answer in rows or a refusal with its reason. None hangs. */
export async function askAll(reader: Reader, texts: string[]): Promise<void> {
  for (const text of texts) {
    const begin = performance.now();
    try {
      const { rows } = await reader.ask({ text, parameters: [], milliseconds: 10_000 });
      assert.ok(Array.isArray(rows));
    } catch (error) {
      assert.ok(error instanceof StatementError && error.message !== "", `${text}\n${error}`);
    }
    assert.ok(performance.now() - begin < 30_000, text);
  }
}
