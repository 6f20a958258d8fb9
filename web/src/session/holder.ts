import { HearthError } from "../../../wire/src/errors.ts";
import { clientWith } from "../api/client.ts";
import { type ApiKey, begin, clearOtherHolder, type KeyHolder, session } from "./session.ts";

/**
 * Start a session with an API key, after asking the API who holds the key.
 *
 * @throws HearthError UNAUTHENTICATED when the key is unknown, or its proof is refused
 */
export async function signInWithKey(key: Omit<ApiKey, "holder">, remember: boolean): Promise<void> {
  const holder = await holderOf(key);
  await clearOtherHolder(holder);
  const { wallet } = session();
  begin({ key: { ...key, holder }, ...(wallet === undefined ? {} : { wallet }) }, remember);
  if (key.proof === undefined) return;
  const { setLasting } = await import("./proof-keys.ts");
  await setLasting(key.proof, remember);
}

async function holderOf(key: Omit<ApiKey, "holder">): Promise<KeyHolder> {
  // A key that cannot be sent in a header is invalid.
  if (!/^[\x21-\x7e]+$/.test(key.token)) throw new HearthError({ status: 401, code: "UNAUTHENTICATED", message: "" });
  return await clientWith({ key }).get("/v1/keys/self");
}
