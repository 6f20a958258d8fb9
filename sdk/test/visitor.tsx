import { renderHook } from "@testing-library/react";
import { type PropsWithChildren, type ReactNode, StrictMode } from "react";
import { inject } from "vitest";
import {
  type IChatOptions,
  type IOraclesProviderProps,
  type MintedToken,
  OraclesProvider,
  useChat,
} from "../src/index.ts";

/** Send a command to the running oracle. */
export async function order<T>(does: string, more: object = {}): Promise<T> {
  const { controlUrl } = inject("oracle");
  const answer = await fetch(controlUrl, { method: "POST", body: JSON.stringify({ do: does, ...more }) });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as T;
}

export type Visitor = {
  did: string;
  oracleDid: string;
  /** Number of minted tokens by kind. */
  minted: { delegations: number; invocations: number };
  props: IOraclesProviderProps;
  overrides: { baseUrl: string };
  /** Create a session and return its id. */
  session: () => Promise<string>;
  ask: (method: string, path: string, body?: unknown) => Promise<Response>;
};

/** Create a user with a new key. */
export async function visit(more: Partial<IOraclesProviderProps> = {}): Promise<Visitor> {
  const { url, did: oracleDid } = inject("oracle");
  const { did } = await order<{ did: string }>("user");
  const mint = (seconds: number) => order<MintedToken>("mint", { did, seconds });
  const minted = { delegations: 0, invocations: 0 };
  const { serialized } = await mint(600);
  const ask: Visitor["ask"] = (method, path, body) =>
    fetch(url + path, {
      method,
      headers: { "x-ucan-delegation": serialized },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const props: IOraclesProviderProps = {
    initialWallet: { address: "0x1", did, matrix: { accessToken: "", homeServer: "" } },
    transactSignX: async () => undefined,
    createDelegation: async () => {
      minted.delegations += 1;
      return await mint(3_600);
    },
    createInvocation: async () => {
      minted.invocations += 1;
      return await mint(600);
    },
    ...more,
  };
  const session = async () => ((await (await ask("POST", "/sessions", {})).json()) as { sessionId: string }).sessionId;
  return { did, oracleDid, minted, props, overrides: { baseUrl: url }, session, ask };
}

/** Render in strict mode, which runs everything twice. */
export const within =
  (props: IOraclesProviderProps) =>
  ({ children }: PropsWithChildren): ReactNode => (
    <StrictMode>
      <OraclesProvider {...props}>{children}</OraclesProvider>
    </StrictMode>
  );

/** Open a chat of the visitor in a new page. */
export function openChat(visitor: Visitor, sessionId: string, more: Partial<IChatOptions> = {}) {
  const { oracleDid, overrides, props } = visitor;
  const options: IChatOptions = { oracleDid, sessionId, overrides, onPaymentRequiredError: () => {}, ...more };
  return renderHook(() => useChat(options), { wrapper: within(props) });
}

/** Write a message that scripts the model's steps. */
export const acts = (...steps: object[][]): string => `acts:${JSON.stringify(steps)}`;
