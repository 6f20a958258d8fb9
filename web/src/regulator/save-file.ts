import { saveAs } from "../show/save-as.ts";

/** Have the browser save an answer as a file, under the name that the server gives it. @throws HearthError */
export async function saveFile(sending: Promise<Response>, fallback: string): Promise<void> {
  const answer = await sending;
  const named = /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  saveAs(await answer.blob(), named ?? fallback);
}
