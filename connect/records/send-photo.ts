import { mayHaveExif } from "../../api/platform/values/exif-mark.ts";
import type { HearthClient, Schemas } from "../../wire/src/index.ts";
import type { FormKind } from "./forms/question.ts";

/** Forms whose photos become evidence that evaluators compare. */
const compared: readonly FormKind[] = ["kpt", "usage", "device"];
type PhotoType = "image/jpeg" | "image/png" | "image/webp" | "image/heic" | "image/gif";

/**
 * Let Hearth read the EXIF data of a record's photo, before the record names it. The photo itself stays in the room's folder. The same
 * photo again changes nothing.
 * @throws HearthError
 */
export async function sendPhoto(
  client: HearthClient,
  kind: FormKind,
  { mimeType, bytes }: { mimeType: string; bytes: Uint8Array },
): Promise<Schemas["SentPhoto"] | undefined> {
  if (!compared.includes(kind) || !mimeType.startsWith("image/") || !mayHaveExif(bytes)) return undefined;
  return await client.post("/v1/photos", {
    query: { keep: "false" },
    body: new Blob([new Uint8Array(bytes)]),
    contentType: mimeType as PhotoType,
  });
}
