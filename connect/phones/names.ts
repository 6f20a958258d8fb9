import { type HearthClient, HearthError } from "../../wire/src/index.ts";

/** The supplier's name as people know it; its DID when it cannot be read. */
export async function nameOfSupplier(client: HearthClient, did: string): Promise<string> {
  return orId(did, async () => (await client.get("/v1/suppliers/{did}", { path: { did } })).name);
}

/** The product's name; its id when it cannot be read. */
export async function nameOfProduct(client: HearthClient, productId: string): Promise<string> {
  return orId(productId, async () => (await client.get("/v1/products/{productId}", { path: { productId } })).name);
}

/** In one line: a name must not look like another sentence of the menu. */
async function orId(id: string, read: () => Promise<string>): Promise<string> {
  try {
    return (await read()).replace(/[\s\p{Cc}]+/gu, " ").trim();
  } catch (error) {
    if (error instanceof HearthError) return id;
    throw error;
  }
}
