import { ApiError } from "./api-error.ts";
import type { Wallet } from "./types.ts";

/** Proof of a messaging account that others can verify. */
export type IOpenIDToken = {
  access_token: string;
  /** Lifetime in seconds. */
  expires_in: number;
  matrix_server_name: string;
  token_type: string;
};

export type GetOpenIdTokenParams = {
  /** `@local:server`. */
  userId: string;
  matrixAccessToken: string;
  /** A domain, reached over https, or a full URL. Defaults to the server in the user id. */
  homeServer?: string;
  /** Owner of the account; accepted and ignored, because tokens are not cached. */
  did?: string;
};

/**
 * Request an OpenID token of the user's messaging account from its home server.
 * @throws ApiError when the home server refuses
 * @example
 * ```ts
 * import { getOpenIdToken } from "@hearth/oracles-client-sdk/core";
 *
 * const token = await getOpenIdToken({ userId: "@ada:matrix.example.org", matrixAccessToken: "syt_…" });
 * console.log(`Valid for ${token.expires_in} seconds.`);
 * ```
 */
export async function getOpenIdToken({
  userId,
  matrixAccessToken,
  homeServer,
}: GetOpenIdTokenParams): Promise<IOpenIDToken> {
  const server = homeServerUrl(homeServer ?? userId.slice(userId.indexOf(":") + 1));
  const path = `/_matrix/client/v3/user/${encodeURIComponent(userId)}/openid/request_token`;
  const headers = { authorization: `Bearer ${matrixAccessToken}`, "content-type": "application/json" };
  const response = await fetch(server + path, { method: "POST", headers, body: "{}" });
  if (response.ok) return (await response.json()) as IOpenIDToken;
  throw await errorOfMatrix(response);
}

/** Ask the home server which account the wallet's messaging session belongs to. @throws ApiError */
export async function matrixUserOf({ address, matrix }: Wallet): Promise<string> {
  const server = homeServerUrl(matrix.homeServer);
  const headers = { authorization: `Bearer ${matrix.accessToken}` };
  const response = await fetch(`${server}/_matrix/client/v3/account/whoami`, { headers });
  if (response.ok) return ((await response.json()) as { user_id: string }).user_id;
  const error = await errorOfMatrix(response);
  // Servers without this endpoint name accounts after their address on chain.
  if (response.status === 404) return `@did-ixo-${address}:${new URL(server).host}`;
  throw error;
}

/** Turn a domain into an https URL; keep a full URL. */
export function homeServerUrl(homeServer: string): string {
  const url = /^https?:\/\//.test(homeServer) ? homeServer : `https://${homeServer}`;
  return url.replace(/\/+$/, "");
}

/** Read a home server's error body, `errcode` and `error`. */
export async function errorOfMatrix(response: Response): Promise<ApiError> {
  const { errcode, error } = (await response.json().catch(() => ({}))) as { errcode?: string; error?: string };
  const code = errcode ?? `HTTP_${response.status}`;
  return new ApiError({
    code,
    status: response.status,
    message: error ?? `The home server answered ${response.status}.`,
  });
}
