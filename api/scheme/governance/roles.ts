import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { type Address, getAddress, keccak256, pad, stringToHex, zeroAddress } from "viem";
import { participantsAbi } from "../../../deployments/abi/participants.ts";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";
import { roleNumbers } from "../../../deployments/role-numbers.ts";
import { cachedFor } from "../../platform/cached-for.ts";
import { type Chain, orUnavailable } from "../../platform/chain/index.ts";
import { type AppEnv, createRouter, errorResponses, onlyFor } from "../../platform/http/index.ts";
import { jsonContent } from "../registry/index.ts";
import type { GovernanceDeps } from "./deps.ts";

/** How long a reading is shared, in milliseconds: it takes a request for each holder. */
const keptMs = 5_000;

const timelockRoles = {
  "timelock-admin": pad("0x"),
  proposer: keccak256(stringToHex("PROPOSER_ROLE")),
  executor: keccak256(stringToHex("EXECUTOR_ROLE")),
  canceller: keccak256(stringToHex("CANCELLER_ROLE")),
} as const;

const holder = z.object({
  account: z.string(),
  name: z.string().nullable().openapi({
    description:
      "The contract of the scheme that it is, `anyone`, or `service` for an account that this service signs with.",
  }),
});
const roleTable = z
  .object({
    roles: z.array(
      z.object({ contract: z.enum(["participants", "timelock"]), role: z.string(), holders: z.array(holder) }),
    ),
    council: z.object({
      account: z.string(),
      members: z.array(z.string()),
      threshold: z.number().int().openapi({ description: "How many members must sign." }),
    }),
    delaySeconds: z.number().int().openapi({ description: "Between the council's decision and its execution." }),
  })
  .openapi("RoleTable");
type RoleTable = z.infer<typeof roleTable>;

const list = createRoute({
  method: "get",
  path: "/roles",
  callers: onlyFor(["regulator", "evaluator"]),
  tags: ["Council"],
  summary: "Read who holds which role on the chain",
  description:
    "Read from the contracts' storage; it is public there. `npm run roles` also compares it with the deployment.",
  responses: { 200: jsonContent(roleTable, "Every role with its holders"), ...errorResponses(403, 503) },
});

/** Route of the roles on the chain. */
export function roleRoutes({ chain, governance }: GovernanceDeps): OpenAPIHono<AppEnv> {
  const readOnce = cachedFor(keptMs, () => orUnavailable(readRoles({ chain, governance })));
  return createRouter().openapi(list, async (c) => c.json(await readOnce(), 200));
}

/** Read every holder of every role: candidates from events, current holders from storage. */
async function readRoles({ chain, governance }: GovernanceDeps): Promise<RoleTable> {
  const [{ context }, participants, timelock] = await Promise.all([
    governance.read(),
    participantRoles(chain),
    rolesOfTimelock(chain),
  ]);
  const { owners, threshold, delay } = context.state;
  const council = { account: chain.contracts.council, members: owners, threshold: Number(threshold) };
  return { roles: [...participants, ...timelock], council, delaySeconds: Number(delay) };
}

async function participantRoles(chain: Chain): Promise<RoleTable["roles"]> {
  const address = chain.contracts.participants;
  const granted = await chain.pastParts((fromBlock, toBlock) =>
    chain.client.getContractEvents({
      address,
      abi: participantsAbi,
      eventName: "RoleGranted",
      strict: true,
      fromBlock,
      toBlock,
    }),
  );
  return await Promise.all(
    Object.entries(roleNumbers).map(async ([role, number]) => {
      const accounts = distinct(granted.filter(({ args }) => args.roleId === number).map(({ args }) => args.account));
      const held = await Promise.all(
        accounts.map(async (account) => (await chain.read("participants", "hasRole", [number, account]))[0]),
      );
      const holders = accounts.filter((_, i) => held[i]).map((account) => describeHolder(chain, account));
      return { contract: "participants" as const, role, holders };
    }),
  );
}

async function rolesOfTimelock(chain: Chain): Promise<RoleTable["roles"]> {
  const { client, contracts } = chain;
  const timelock = { address: contracts.timelock, abi: timelockAbi } as const;
  const granted = await chain.pastParts((fromBlock, toBlock) =>
    client.getContractEvents({ ...timelock, eventName: "RoleGranted", strict: true, fromBlock, toBlock }),
  );
  return await Promise.all(
    Object.entries(timelockRoles).map(async ([role, id]) => {
      const accounts = distinct(granted.filter(({ args }) => args.role === id).map(({ args }) => args.account));
      const held = await Promise.all(
        accounts.map((account) => client.readContract({ ...timelock, functionName: "hasRole", args: [id, account] })),
      );
      const holders = accounts.filter((_, i) => held[i]).map((account) => describeHolder(chain, account));
      return { contract: "timelock" as const, role, holders };
    }),
  );
}

const distinct = (accounts: readonly Address[]) => [...new Set(accounts.map((account) => getAddress(account)))];

function describeHolder({ contracts, senders }: Chain, account: Address): z.infer<typeof holder> {
  const is = (other: string | undefined) => other?.toLowerCase() === account.toLowerCase();
  if (is(zeroAddress)) return { account, name: "anyone" };
  const contract = Object.entries(contracts).find(([, address]) => is(address))?.[0];
  const isOwn = Object.values(senders).some(({ address }) => is(address));
  return { account, name: contract ?? (isOwn ? "service" : null) };
}
