import { storableInteger } from "../../../../wire/src/chain-values.ts";
import { Directory } from "../directory.ts";
import { idHash } from "../identifiers.ts";
import type { Ledger } from "../ledger.ts";
import type { ProductStore } from "./store.ts";
import type { ProductRow } from "./tables.ts";

export type ProductStatus = "pending" | "approved" | "withdrawn";
const statuses: (ProductStatus | null)[] = [null, "pending", "approved", "withdrawn"];
/** Numbers of a product's statuses in the contract. */
export const productStatusNumber = { pending: 1, approved: 2, withdrawn: 3 } as const;

/** Products by productId or index, with their current status. */
export class ProductDirectory extends Directory<ProductRow> {
  readonly #ledger: Ledger;

  constructor(store: ProductStore, ledger: Ledger) {
    super({
      ...store,
      indexOnChain: (productId) => ledger.participants.read.productIndex([idHash(productId)]),
      isTaken: async (index) => (await ledger.participants.read.productOf([index])).status !== 0,
      fromChain: (index) => readRegistration(ledger, index),
    });
    this.#ledger = ledger;
  }

  async statusOf(index: number): Promise<ProductStatus> {
    const { status } = await this.#ledger.participants.read.productOf([index]);
    const word = statuses[status];
    if (!word) throw new Error(`The chain knows no product ${index}.`);
    return word;
  }
}

async function readRegistration(ledger: Ledger, product: number): Promise<ProductRow | null> {
  const [event] = await ledger.past("participants", "ProductRegistered", { product });
  if (!event) return null;
  return {
    productId: event.args.productId,
    product,
    implementer: event.args.implementer,
    name: event.args.name,
    category: event.args.category,
    unit: event.args.unit,
    maxAmount: storableInteger(event.args.maxAmountPerRedemption),
    transactionHash: event.transactionHash,
    registeredAt: await ledger.timeOf(event.blockNumber),
  };
}
