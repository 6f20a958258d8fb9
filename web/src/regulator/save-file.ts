import { saveAs } from "../show/save-as.ts";

/** Save a response as a file with the name that the server gives. @throws HearthError */
export async function saveFile(sending: Promise<Response>, fallback: string): Promise<void> {
  const answer = await sending;
  const named = /filename="?([^";]+)/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  saveAs(await answer.blob(), named ?? fallback);
}
