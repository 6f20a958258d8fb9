import { useState } from "react";
import { onSignOut } from "../session/session.ts";
import { storeText } from "../session/vault.ts";

const prefix = "hearth.chat.draft.";

/** What somebody types into a session and has not sent yet. It survives a reload, and dies with the tab or at sign-out. */
export function useDraft(sessionId: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState({ sessionId, text: read(sessionId) });
  const shown = draft.sessionId === sessionId ? draft : { sessionId, text: read(sessionId) };
  const change = (text: string) => {
    if (text === "") sessionStorage.removeItem(prefix + sessionId);
    else storeText(sessionStorage, prefix + sessionId, text);
    setDraft({ sessionId, text });
  };
  return [shown.text, change];
}

function read(sessionId: string): string {
  return sessionStorage.getItem(prefix + sessionId) ?? "";
}

onSignOut(() => {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
});
