import { OraclesProvider } from "@hearth/oracles-client-sdk";
import { useCallback, useEffect, useState } from "react";
import { signAndSend } from "./browser-wallet.ts";
import { visitorKey } from "./kept-key.ts";
import type { UserKey } from "./user-key.ts";
import { Workspace } from "./workspace.tsx";

const oracleUrl: string = import.meta.env.VITE_ORACLE_URL ?? "http://localhost:3000";

type Start = { key: UserKey; oracleDid: string };

/** Load the visitor's key and find out which oracle answers at the URL. */
async function start(): Promise<Start> {
  const answer = await fetch(`${oracleUrl}/.well-known/did.json`);
  if (!answer.ok) throw new Error(`It answered ${answer.status}.`);
  const { id } = (await answer.json()) as { id: string };
  return { key: await visitorKey(), oracleDid: id };
}

export function App() {
  const [started, setStarted] = useState<Start>();
  const [error, setError] = useState<Error>();
  const begin = useCallback(() => {
    setError(undefined);
    start().then(setStarted, setError);
  }, []);
  useEffect(begin, [begin]);
  if (error !== undefined) return <NoOracle error={error} onRetry={begin} />;
  if (started === undefined)
    return (
      <p role="status" className="notice">
        Looking for the oracle…
      </p>
    );
  const { key, oracleDid } = started;
  return (
    <OraclesProvider
      initialWallet={{ address: "", did: key.did, matrix: { accessToken: "", homeServer: "" } }}
      transactSignX={signAndSend}
      createDelegation={key.createDelegation}
      createInvocation={key.createInvocation}
    >
      <Workspace userKey={key} oracleDid={oracleDid} overrides={{ baseUrl: oracleUrl, wsUrl: oracleUrl }} />
    </OraclesProvider>
  );
}

function NoOracle({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <main className="notice">
      <h1>No oracle answers at {oracleUrl}</h1>
      <p role="alert">{error.message}</p>
      <p>
        Run <code>npm start</code> in the repository's folder, wait until it is ready, and try again. If it listens
        elsewhere, start this app with <code>npm run example:chat -- --oracle http://localhost:4000</code>.
      </p>
      <button type="button" className="primary" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}
