import { mayHaveExif } from "../../api/platform/values/exif-mark.ts";
import type { HearthClient } from "../../wire/src/index.ts";
import type { FormKind } from "./forms/question.ts";
import { photoTypeOf } from "./photo.ts";

/** Forms whose photos become evidence that evaluators compare. */
const compared: readonly FormKind[] = ["kpt", "usage", "device"];

/**
 * Let Hearth read the EXIF data of a record's photo, before the record names it. The photo itself stays in the connector's folder. The same
 * photo again changes nothing. A file that is not a photo is not sent, whatever type its sender names.
 * @throws HearthError
 */
export async function sendPhoto(client: HearthClient, kind: FormKind, bytes: Uint8Array): Promise<void> {
  if (!compared.includes(kind)) return;
  const contentType = photoTypeOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (contentType === undefined || !mayHaveExif(bytes)) return;
  await client.post("/v1/photos", {
    query: { keep: "false" },
    body: new Blob([new Uint8Array(bytes)]),
    contentType,
  });
}
