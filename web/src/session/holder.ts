import { ApiError } from "../api/error.ts";
import { request } from "../api/request.ts";
import { type ApiKey, begin, type KeyHolder, session } from "./session.ts";

/**
 * Begin a session with an API key, after asking the API whose it is.
 * @throws ApiError UNAUTHENTICATED when the key is unknown, or its proof is not taken
 */
export async function signInWithKey(key: Omit<ApiKey, "holder">, remember: boolean): Promise<void> {
  const holder = await holderOf(key);
  const { wallet } = session();
  begin({ key: { ...key, holder }, ...(wallet === undefined ? {} : { wallet }) }, remember);
}

async function holderOf(key: Omit<ApiKey, "holder">): Promise<KeyHolder> {
  const path = "/v1/keys/self";
  const headers: Record<string, string> = { authorization: `Bearer ${key.token}` };
  if (key.proof !== undefined) {
    const { provePossession } = await import("./proof.ts");
    const url = new URL(path, window.location.origin);
    headers.dpop = await provePossession(key.proof, { token: key.token, method: "GET", url });
  }
  if (!/^[\x21-\x7e]+$/.test(key.token)) throw new ApiError({ status: 401, code: "UNAUTHENTICATED", message: "" });
  return request<KeyHolder>("GET", path, { headers, anonymous: true });
}
