import { type Overrides, useOracleSessions } from "@hearth/oracles-client-sdk";
import { useEffect, useRef, useState } from "react";
import { ChatView } from "./chat-view.tsx";
import { isKeptOnDevice, keepOnDevice } from "./kept-key.ts";
import { SessionList } from "./session-list.tsx";
import type { UserKey } from "./user-key.ts";

type Props = { userKey: UserKey; oracleDid: string; overrides: Overrides };

/** The visitor's sessions beside the one that is open; the first is made by itself. */
export function Workspace({ userKey, oracleDid, overrides }: Props) {
  const list = useOracleSessions(oracleDid, overrides);
  const { sessions, createSession } = list;
  const [chosen, setChosen] = useState<string>();
  const [isKept, setIsKept] = useState(isKeptOnDevice);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (sessions?.length !== 0 || hasBegun.current) return;
    hasBegun.current = true;
    void createSession();
  }, [sessions, createSession]);
  const sessionId = sessions?.find((session) => session.sessionId === chosen)?.sessionId ?? sessions?.[0]?.sessionId;
  const keep = (isNowKept: boolean) => {
    keepOnDevice(userKey, isNowKept);
    setIsKept(isNowKept);
  };
  return (
    <div className="workspace">
      <aside>
        <h1>Hearth</h1>
        <SessionList list={list} sessionId={sessionId} onChoose={setChosen} />
        <label className="keep">
          <input type="checkbox" checked={isKept} onChange={(event) => keep(event.target.checked)} />
          Stay the same person on this device
        </label>
      </aside>
      {sessionId === undefined ? (
        <p className="notice">{list.error?.message ?? "Opening a session…"}</p>
      ) : (
        <ChatView key={sessionId} oracleDid={oracleDid} sessionId={sessionId} overrides={overrides} />
      )}
    </div>
  );
}
