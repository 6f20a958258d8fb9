import { type Address, isAddressEqual } from "viem";
import type { Chain } from "../../platform/chain/index.ts";
import { type Capacity, capacities, type Standing, type Standings } from "../../platform/sessions/index.ts";
import type { Registry } from "./registry.ts";

/** Role numbers of contracts/shared/Roles.sol. */
const roles = { admin: 0n, regulator: 2n, evaluator: 4n } as const;
type RoleName = keyof typeof roles;

/** What an account may act as, read from the chain for each question; nothing is cached. */
export class AccountStandings implements Standings {
  readonly #chain: Pick<Chain, "read" | "past">;
  readonly #registry: Registry;

  constructor(chain: Pick<Chain, "read" | "past">, registry: Registry) {
    this.#chain = chain;
    this.#registry = registry;
  }

  /** List what the account may act as now, most rights first; the last is always visitor. */
  async of(address: Address): Promise<Standing[]> {
    const named = await this.#everNamed(address);
    const asked = [...Object.keys(roles).map((role) => ({ actsAs: role as Capacity, participant: 0 })), ...named];
    const held = await Promise.all(asked.map((standing) => this.isHeld(address, standing)));
    const standings = asked.filter((_, index) => held[index]);
    standings.sort((a, b) => capacities.indexOf(a.actsAs) - capacities.indexOf(b.actsAs));
    return [...standings, { actsAs: "visitor", participant: 0 }];
  }

  /** Whether the account may act as that now; false for a suspended supplier or implementer. */
  async isHeld(address: Address, { actsAs, participant }: Standing): Promise<boolean> {
    const { read } = this.#chain;
    switch (actsAs) {
      case "visitor":
        return true;
      case "supplier": {
        const { account, authorised } = await read("participants", "supplierOf", [participant]);
        return authorised && isAddressEqual(account, address);
      }
      case "implementer":
        return isAddressEqual(await read("participants", "implementerAccount", [participant]), address);
      case "household":
        return isAddressEqual(await read("participants", "householdAccount", [participant]), address);
      default:
        return this.#hasRole(actsAs, address);
    }
  }

  /** Find the DID of a standing; null for roles, visitors, and a household of another database. */
  async didOf({ actsAs, participant }: Standing): Promise<string | null> {
    const { suppliers, implementers, households } = this.#registry;
    const directory = { supplier: suppliers, implementer: implementers, household: households };
    if (!(actsAs in directory)) return null;
    return (await directory[actsAs as keyof typeof directory].byIndex(participant))?.did ?? null;
  }

  /** As in the contracts, a member with an execution delay does not hold the role. */
  async #hasRole(role: RoleName, address: Address): Promise<boolean> {
    const [isMember, delay] = await this.#chain.read("participants", "hasRole", [roles[role], address]);
    return isMember && delay === 0;
  }

  /** Participants that have, or had, this account. */
  async #everNamed(account: Address): Promise<Standing[]> {
    const { past } = this.#chain;
    const [suppliers, moved, implementers, replaced, households] = await Promise.all([
      past("participants", "SupplierRegistered", { account }),
      past("participants", "SupplierAccountChanged", { account }),
      past("participants", "ImplementerRegistered", { account }),
      past("participants", "ImplementerAccountChanged", { account }),
      past("participants", "HouseholdAccountSet", { account }),
    ]);
    const each = (actsAs: Capacity, indexes: number[]) =>
      [...new Set(indexes)].map((participant) => ({ actsAs, participant }));
    return [
      ...each(
        "implementer",
        [...implementers, ...replaced].map(({ args }) => args.implementer),
      ),
      ...each(
        "supplier",
        [...suppliers, ...moved].map(({ args }) => args.supplier),
      ),
      ...each(
        "household",
        households.map(({ args }) => args.household),
      ),
    ];
  }
}
