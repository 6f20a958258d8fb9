import { onSignOut } from "../session/session.ts";
import { storeText } from "../session/vault.ts";

const prefix = "hearth.chat.draft.";

/** Keep the unsent text of a session. It survives a reload, and is deleted when the tab closes or the user signs out. */
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
