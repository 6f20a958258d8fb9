import { send } from "../api/request.ts";
import { saveAs } from "../show/save-as.ts";

/** Have the browser save an answer as a file, under the name that the server gives it. @throws ApiError */
export async function saveFile(
  path: string,
  query: Record<string, string | undefined>,
  fallback: string,
): Promise<void> {
  const answer = await send("GET", path, { query });
  const named = /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  saveAs(await answer.blob(), named ?? fallback);
}
