import { type Overrides, useOracleSessions } from "@hearth/oracles-client-sdk";
import { useEffect, useRef, useState } from "react";
import { ChatView } from "./chat-view.tsx";
import { isKeptOnDevice, keepOnDevice } from "./kept-key.ts";
import { SessionList } from "./session-list.tsx";
import type { UserKey } from "./user-key.ts";

type Props = { userKey: UserKey; oracleDid: string; overrides: Overrides };

/** Show the visitor's sessions and the open one; create the first session automatically. */
export function Workspace({ userKey, oracleDid, overrides }: Props) {
  const list = useOracleSessions(oracleDid, overrides);
  const { sessions, createSession, isLoading, error } = list;
  const [chosen, setChosen] = useState<string>();
  const [isListOpen, setIsListOpen] = useState(false);
  const [isKept, setIsKept] = useState(isKeptOnDevice);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (isLoading || sessions?.length !== 0 || hasBegun.current) return;
    hasBegun.current = true;
    // The list shows the error.
    createSession().catch(() => {});
  }, [sessions, isLoading, createSession]);
  const sessionId = sessions?.find((session) => session.sessionId === chosen)?.sessionId ?? sessions?.[0]?.sessionId;
  const choose = (id: string) => {
    setChosen(id);
    setIsListOpen(false);
  };
  const keep = (isNowKept: boolean) => {
    keepOnDevice(userKey, isNowKept);
    setIsKept(isNowKept);
  };
  return (
    <div className="workspace">
      <header>
        <h1>Hearth</h1>
        <button
          type="button"
          className="menu"
          aria-expanded={isListOpen}
          aria-controls="sessions"
          onClick={() => setIsListOpen(!isListOpen)}
        >
          Sessions
        </button>
        <div id="sessions" className={isListOpen ? "open" : undefined}>
          <SessionList list={list} sessionId={sessionId} onChoose={choose} />
          <label className="keep">
            <input type="checkbox" checked={isKept} onChange={(event) => keep(event.target.checked)} />
            Stay the same person on this device
          </label>
        </div>
      </header>
      {sessionId === undefined ? (
        <p role="status" className="notice">
          {(error ?? list.createSessionError)?.message ?? "Opening a session…"}
        </p>
      ) : (
        <ChatView key={sessionId} oracleDid={oracleDid} sessionId={sessionId} overrides={overrides} />
      )}
    </div>
  );
}
