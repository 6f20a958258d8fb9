import { z } from "zod/mini";
import { storeText } from "../../session/vault.ts";

const draft = z.object({ cid: z.string(), text: z.string() });
export type TextDraft = z.infer<typeof draft>;

const nameOf = (fileId: string) => `hearth.files.draft.${fileId}`;

/** Unsaved text of a file, with the head that it is based on. Kept until the tab closes. */
export function readDraft(fileId: string): TextDraft | undefined {
  const text = sessionStorage.getItem(nameOf(fileId));
  if (text === null) return undefined;
  const read = draft.safeParse(JSON.parse(text));
  return read.success ? read.data : undefined;
}

/** Keep the text unless it is very large. Returns whether it survives a reload. */
export function keepDraft(fileId: string, kept: TextDraft): boolean {
  return storeText(sessionStorage, nameOf(fileId), JSON.stringify(kept));
}

export function dropDraft(fileId: string): void {
  sessionStorage.removeItem(nameOf(fileId));
}
