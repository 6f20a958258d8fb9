import { send } from "../api/request.ts";

/** Have the browser save an answer as a file, under the name that the server gives it. @throws ApiError */
export async function saveFile(
  path: string,
  query: Record<string, string | undefined>,
  fallback: string,
): Promise<void> {
  const answer = await send("GET", path, { query });
  const named = /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = named ?? fallback;
  link.click();
  // The download has begun by then; the blob may go.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
