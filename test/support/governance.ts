import type { TypedDataDefinition } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { openApp } from "../../api/app.ts";
import { readConfig } from "../../api/config.ts";
import { createLog } from "../../api/platform/log.ts";
import type { ProposalResponse, ToSign } from "../../api/scheme/governance/schemas.ts";
import { testAdminKey } from "./core.ts";
import { type CouncilChain, openCouncilChain } from "./council-chain.ts";
import { placeDatabase } from "./database.ts";

export type Reply<T> = { status: number; body: T };
export type Refusal = { code: string; message: string; details: { path?: string; rule: string; message: string }[] };

/** The API over such a chain, and members who sign what it shows them. */
export async function openCouncilTest(env: Record<string, string> = {}) {
  const chain = await openCouncilChain();
  await placeDatabase(chain.dataDir);
  const api = await openCouncilApi(chain, env);
  const close = async () => {
    try {
      await api.close();
    } finally {
      await chain.close();
    }
  };
  return { ...chain, ...api, close };
}
export type CouncilTest = Awaited<ReturnType<typeof openCouncilTest>>;

export async function openCouncilApi(chain: CouncilChain, env: Record<string, string> = {}) {
  const config = readConfig({
    DATA_DIR: chain.dataDir,
    CHAIN_PORT: String(chain.anvil.port),
    LOG_LEVEL: "silent",
    ADMIN_API_KEY: testAdminKey,
    FS_REQUESTS_PER_MINUTE: "100000",
    ...env,
  });
  const { app, deps, close } = await openApp(config, createLog(config));
  const call = async <T = ProposalResponse>(method: string, path: string, body?: unknown): Promise<Reply<T>> => {
    const payload = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await app.request(`/v1/pool${path}`, { method, ...payload });
    return { status: answer.status, body: (await answer.json()) as T };
  };
  /** Ask what to sign, sign it, send it: as a member does. */
  const signed = async (account: PrivateKeyAccount, path: string, body: Record<string, unknown>) => {
    const asked = await call<ToSign>("POST", path, body);
    if (asked.status !== 200) return asked as unknown as Reply<ProposalResponse>;
    return await call("POST", path, { ...body, ...(await signatures(account, asked.body)) });
  };
  const member = (number: 1 | 2 | 3) => privateKeyToAccount(chain.keys[`council-${number}`]);
  const propose = (number: 1 | 2 | 3, action: Record<string, unknown>) =>
    signed(member(number), "/proposals", { ...action, proposer: member(number).address });
  const approve = (number: 1 | 2 | 3, id: string, more: Record<string, unknown> = {}) =>
    signed(member(number), `/proposals/${id}/approvals`, { signer: member(number).address, ...more });
  return { deps, app, call, signed, member, propose, approve, close };
}

/** Both signatures of what the API asks a member to sign. */
export async function signatures(account: PrivateKeyAccount, { typedData, statement }: ToSign) {
  return {
    signature: await account.signTypedData(typedData as unknown as TypedDataDefinition),
    statementSignature: await account.signTypedData(statement as unknown as TypedDataDefinition),
  };
}
