import { onSignOut } from "../session/session.ts";
import { storeText } from "../session/vault.ts";

const prefix = "hearth.chat.draft.";

/** Keep what is typed into a session and not sent yet. It survives a reload, and dies with the tab or at sign-out. */
export function keepDraft(sessionId: string, text: string): void {
  if (text === "") sessionStorage.removeItem(prefix + sessionId);
  else storeText(sessionStorage, prefix + sessionId, text);
}

export function readDraft(sessionId: string): string {
  return sessionStorage.getItem(prefix + sessionId) ?? "";
}

onSignOut(() => {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
});
