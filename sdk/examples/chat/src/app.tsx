import { OraclesProvider } from "@hearth/oracles-client-sdk";
import { useEffect, useState } from "react";
import { visitorKey } from "./kept-key.ts";
import type { UserKey } from "./user-key.ts";
import { Workspace } from "./workspace.tsx";

const oracleUrl: string = import.meta.env.VITE_ORACLE_URL ?? "http://localhost:3000";

type Start = { key: UserKey; oracleDid: string };

/** Who the visitor is, and which oracle answers at the URL. */
async function start(): Promise<Start> {
  const answer = await fetch(`${oracleUrl}/.well-known/did.json`);
  if (!answer.ok) throw new Error(`${oracleUrl} answered ${answer.status}.`);
  const { id } = (await answer.json()) as { id: string };
  return { key: await visitorKey(), oracleDid: id };
}

/** A wallet would sign here: see useContractOracle. */
async function transactSignX(): Promise<never> {
  throw new Error("This example has no wallet. Connect one to pay.");
}

export function App() {
  const [started, setStarted] = useState<Start>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    start().then(setStarted, setError);
  }, []);
  if (error !== undefined) {
    return (
      <p role="alert" className="notice">
        There is no oracle at {oracleUrl}. Start one with <code>npm start</code>, then reload. ({error.message})
      </p>
    );
  }
  if (started === undefined) return <p className="notice">Looking for the oracle…</p>;
  const { key, oracleDid } = started;
  return (
    <OraclesProvider
      initialWallet={{ address: "", did: key.did, matrix: { accessToken: "", homeServer: "" } }}
      transactSignX={transactSignX}
      createDelegation={key.createDelegation}
      createInvocation={key.createInvocation}
    >
      <Workspace userKey={key} oracleDid={oracleDid} overrides={{ baseUrl: oracleUrl, wsUrl: oracleUrl }} />
    </OraclesProvider>
  );
}
