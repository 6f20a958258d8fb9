import { randomUUID } from "node:crypto";
import { generateKey, mintToken } from "../../api/platform/ucan/mint.ts";
import { type PreparedScheme, prepareScheme } from "../scheme.ts";
import type { BenchStack } from "../stack.ts";

/** Kinds of requests of a day, with their share of all requests. */
export const mix = { read: 0.5, redeem: 0.25, list: 0.1, write: 0.08, open: 0.05, register: 0.02 } as const;
export type Kind = keyof typeof mix;
export const kinds = Object.keys(mix) as Kind[];

export type Traffic = { send: Record<Kind, (url: string) => Promise<Response>> };

/** Prepare a scheme with vouchers, and requests of each kind for it. */
export async function prepareTraffic(stack: BenchStack, households: number): Promise<Traffic> {
  const scheme: PreparedScheme = await prepareScheme(stack, households);
  const answer = (await (await fetch(`${stack.url}/.well-known/did.json`)).json()) as { id: string };
  const files = await mintToken({ issuer: await generateKey(), audience: answer.id, abilities: ["fs/*"] });
  const asAdmin = { authorization: `Bearer ${stack.key}`, "content-type": "application/json" };
  const asOwner = { authorization: `Bearer ${files}`, "content-type": "text/plain" };
  const written: string[] = [];
  let turn = 0;
  const voucher = () => scheme.vouchers[turn++ % scheme.vouchers.length] ?? "";
  const post = (url: string, path: string, body: object) =>
    fetch(`${url}${path}`, { method: "POST", headers: asAdmin, body: JSON.stringify(body) });
  const writeFile = async (url: string) => {
    const path = `/api/fs/files?path=/${randomUUID()}`;
    const response = await fetch(`${url}${path}`, { method: "POST", headers: asOwner, body: "x".repeat(10_000) });
    if (response.ok) written.push(((await response.clone().json()) as { id: string }).id);
    return response;
  };
  await writeFile(stack.url);
  const { supplierDid, productId } = scheme;
  return {
    send: {
      read: (url) => fetch(`${url}/v1/vouchers/${encodeURIComponent(voucher())}`, { headers: asAdmin }),
      redeem: (url) => post(url, "/v1/vouchers/redeem", { voucherId: voucher(), supplierDid, productId, amount: 0.01 }),
      list: (url) => fetch(`${url}/v1/redemptions?limit=50`, { headers: asAdmin }),
      write: writeFile,
      open: (url) => fetch(`${url}/api/fs/files/${written[turn++ % written.length]}/content`, { headers: asOwner }),
      register: (url) =>
        post(url, "/v1/households", { did: `did:example:household/${randomUUID()}`, region: "Lusaka" }),
    },
  };
}

export type Sent = { kind: Kind; ms: number; ok: boolean };

/**
 * Send requests at a rate, whether or not earlier ones were answered, to the URLs in turn.
 * @param rate requests a second
 */
export async function drive(traffic: Traffic, urls: readonly string[], rate: number, seconds: number): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  const began = performance.now();
  for (let number = 0; number < rate * seconds; number++) {
    const wait = began + (number * 1000) / rate - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    sent.push(one(traffic, kindOf(number), String(urls[number % urls.length])));
  }
  return await Promise.all(sent);
}

async function one({ send }: Traffic, kind: Kind, url: string): Promise<Sent> {
  const began = performance.now();
  try {
    const response = await send[kind](url);
    await response.arrayBuffer();
    return { kind, ms: performance.now() - began, ok: response.ok };
  } catch {
    // A connection that is refused or reset counts as a failed request.
    return { kind, ms: performance.now() - began, ok: false };
  }
}

/** The kind of the request with this number: shares of the mix, spread evenly and the same in each run. */
export function kindOf(number: number): Kind {
  // The golden ratio spreads successive numbers evenly over 0 to 1.
  let place = (number * 0.618_033_988_75) % 1;
  for (const kind of kinds) {
    if (place < mix[kind]) return kind;
    place -= mix[kind];
  }
  return "read";
}
