import { type Address, isAddressEqual } from "viem";
import type { Chain } from "../../platform/chain/index.ts";
import { type Capacity, capacities, type Standing, type Standings } from "../../platform/sessions/index.ts";
import type { Registry } from "./registry.ts";

/** Role numbers of contracts/shared/Roles.sol: the council, the registrar, the evaluator. */
const roles = { admin: 0n, regulator: 2n, evaluator: 4n } as const;
type RoleName = keyof typeof roles;

/** What accounts are on chain. Nothing is remembered: every question is the chain's to answer. */
export class AccountStandings implements Standings {
  readonly #chain: Pick<Chain, "read" | "past">;
  readonly #registry: Registry;

  constructor(chain: Pick<Chain, "read" | "past">, registry: Registry) {
    this.#chain = chain;
    this.#registry = registry;
  }

  /** All that the account is now, the one with the most rights first; at the end always a visitor. */
  async of(address: Address): Promise<Standing[]> {
    const named = await this.#everNamed(address);
    const asked = [...Object.keys(roles).map((role) => ({ actsAs: role as Capacity, participant: 0 })), ...named];
    const held = await Promise.all(asked.map((standing) => this.isHeld(address, standing)));
    const standings = asked.filter((_, index) => held[index]);
    standings.sort((a, b) => capacities.indexOf(a.actsAs) - capacities.indexOf(b.actsAs));
    return [...standings, { actsAs: "visitor", participant: 0 }];
  }

  /** Whether the account is that now. A suspended supplier or implementer is none. */
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

  /** The DID that a standing speaks for; null for roles and visitors, and for a household of another database. */
  async didOf({ actsAs, participant }: Standing): Promise<string | null> {
    const { suppliers, implementers, households } = this.#registry;
    const directory = { supplier: suppliers, implementer: implementers, household: households };
    if (!(actsAs in directory)) return null;
    return (await directory[actsAs as keyof typeof directory].byIndex(participant))?.did ?? null;
  }

  /** A member who must wait before each act holds the role as little here as for the contracts. */
  async #hasRole(role: RoleName, address: Address): Promise<boolean> {
    const [isMember, delay] = await this.#chain.read("participants", "hasRole", [roles[role], address]);
    return isMember && delay === 0;
  }

  /** Participants that had this account at some time. */
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
