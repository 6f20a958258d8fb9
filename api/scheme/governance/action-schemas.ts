import { z } from "@hono/zod-openapi";
import { carbonAmount, exactDecimal, integer, positiveCarbonAmount } from "../../platform/values/numbers.ts";
import { address, bytes32, freeText } from "../../platform/values/text.ts";

const UINT64_MAX = 2n ** 64n - 1n;
const UINT32_MAX = 2 ** 32 - 1;
const cap = z
  .union([z.null(), carbonAmount])
  .optional()
  .openapi({ type: ["number", "null"], description: "CARBON; null for no limit. Absent: unchanged." });
const stableAmount = exactDecimal({ decimals: 6, min: 1n, max: UINT64_MAX });
const roles = ["guardian", "registrar", "operator", "evaluator", "ledger", "converter", "executor"] as const;
const role = z.enum(roles).openapi({
  description: "`guardian` includes the right to cancel. `executor` for 0x0…0: anyone may execute what is due.",
});
const token = z.enum(["stablecoin", "carbon"]);
const threshold = integer(2, 50)
  .optional()
  .openapi({ description: "How many must approve from then on. Absent: unchanged." });

/** Actions that the timelock executes after the delay. */
const delayedActions = [
  z.strictObject({
    action: z.literal("price"),
    price: exactDecimal({ decimals: 6, min: 1n, max: UINT64_MAX }).openapi({
      description: "Stablecoin for one CARBON. At most a fifth up or down in a quiet day.",
    }),
  }),
  z.strictObject({
    action: z.literal("fee"),
    fee: integer(0, 1_000).openapi({ description: "Ten-thousandths: 50 is half a per cent, on each side." }),
  }),
  z.strictObject({
    action: z.literal("caps"),
    perTransaction: cap,
    perWindow: cap,
    perDay: cap,
    lifetime: cap,
    perSupplierDay: cap,
  }),
  z.strictObject({ action: z.literal("withdraw"), token, to: address, amount: stableAmount }),
  z.strictObject({ action: z.literal("deposit"), token, amount: stableAmount }).openapi({
    description: "Paid from the timelock's own balance. Anyone else can simply transfer to the pool.",
  }),
  z.strictObject({ action: z.literal("unpause") }),
  z.strictObject({ action: z.literal("grant-role"), role, account: address }),
  z.strictObject({ action: z.literal("revoke-role"), role, account: address }),
  z.strictObject({
    action: z.literal("operator-cap"),
    amount: carbonAmount.openapi({ description: "CARBON that one operator may pay out in a day." }),
  }),
  z.strictObject({
    action: z.literal("pin-cap"),
    amount: carbonAmount.openapi({ description: "CARBON that one operator may redeem on PINs in a day." }),
  }),
  z.strictObject({
    action: z.literal("lifecycle-cap"),
    amount: carbonAmount.openapi({
      description:
        "CARBON that one account may cancel and reissue, that all accounts may sweep, and that all operators may reverse, in a day.",
    }),
  }),
  z.strictObject({
    action: z.literal("unconsented-cap"),
    plan: integer(0, UINT32_MAX).openapi({ description: "`index` of the monitoring plan; 0 is the default plan." }),
    amount: integer(0, UINT32_MAX).openapi({
      description: "Whole CARBON that one supplier may redeem in a day under the plan without a household's consent.",
    }),
  }),
  z.strictObject({
    action: z.literal("waive-debt"),
    supplier: integer(1, UINT32_MAX).openapi({ description: "`index` of the supplier." }),
    amount: positiveCarbonAmount.openapi({ description: "CARBON. An amount above the debt waives all of it." }),
    reason: freeText(500).openapi({ description: "Why the debt was wrong. It is stored on the chain." }),
  }),
  z.strictObject({ action: z.literal("cease-consent") }).openapi({
    description: "Redemptions no longer need the household's signature or code that the registrar required.",
  }),
  z.strictObject({ action: z.literal("dispute-stake"), amount: carbonAmount }),
  z.strictObject({
    action: z.literal("itmo-daily-cap"),
    tonnes: integer(0, Number.MAX_SAFE_INTEGER).openapi({
      description: "Tonnes that the registrar may move in a day.",
    }),
  }),
  z.strictObject({
    action: z.literal("invalidation-buffer"),
    share: integer(0, 2_000).openapi({
      description: "Ten-thousandths of each later conversion that the invalidation buffer holds.",
    }),
    days: integer(0, 2_920).openapi({ description: "Days for which it is held; 0 if, and only if, the share is 0." }),
  }),
  z.strictObject({
    action: z.literal("directory"),
    contracts: z
      .record(z.string().regex(/^[\x21-\x7e]{1,31}$/), address)
      .refine((names) => Object.keys(names).length > 0, { message: "Name at least one contract." }),
  }),
  z.strictObject({
    action: z.literal("delay"),
    seconds: integer(3_600, 30 * 86_400).openapi({ description: "Between decision and execution." }),
  }),
] as const;
export const delayedAction = z.discriminatedUnion("action", delayedActions);

/** Actions that the Safe executes immediately: on its membership, and on one scheduled operation. */
const directActions = [
  z.strictObject({ action: z.literal("add-member"), account: address, threshold }),
  z.strictObject({ action: z.literal("remove-member"), account: address, threshold }),
  z.strictObject({ action: z.literal("replace-member"), account: address, by: address }),
  z.strictObject({ action: z.literal("threshold"), threshold: integer(2, 50) }),
  z.strictObject({ action: z.literal("cancel"), operationId: bytes32 }),
  z.strictObject({ action: z.literal("execute"), operationId: bytes32 }),
] as const;

const batch = z.strictObject({
  action: z.literal("batch"),
  actions: z.array(delayedAction).min(1).max(20).openapi({ description: "Done in this order, all or none." }),
});

const hexText = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,4096}$/, "Bytes are expected, as 0x and hexadecimal digits.")
  .transform((text) => text as `0x${string}`)
  .openapi({ type: "string", pattern: "^0x[0-9a-fA-F]+$" });
/** What a signer adds to a request: both signatures, or neither to receive what to sign. */
export const signatures = {
  signature: hexText.optional().openapi({ description: "Of `typedData`." }),
  statementSignature: hexText.optional().openapi({ description: "Of `statement`." }),
};
export const nonce = z
  .string()
  .regex(/^\d{1,18}$/)
  .transform(BigInt)
  .optional()
  .openapi({ type: "string", description: "The Safe's nonce to sign for. Absent: the proposal's nonce." });

const proposing = {
  proposer: address.openapi({ description: "A member of the council, who signs." }),
  salt: bytes32
    .optional()
    .openapi({ description: "Distinguishes proposals with the same actions. Absent: derived from the request." }),
  nonce,
  ...signatures,
};
const withProposer = (schema: z.ZodObject) => z.strictObject({ ...schema.shape, ...proposing });

/** One strict object for each action, all with the proposer's fields. The full type is written out below. */
const requests = [...delayedActions, ...directActions, batch].map(withProposer);
export const proposalRequest = z
  .discriminatedUnion("action", requests as unknown as [z.ZodObject<{ action: z.ZodLiteral<string> }>])
  .openapi("ProposalRequest") as unknown as z.ZodType<ProposalRequest>;

export type DelayedAction = z.infer<typeof delayedAction>;
export type DirectAction = z.infer<(typeof directActions)[number]>;
export type CouncilAction = DelayedAction | DirectAction | z.infer<typeof batch>;
export type Proposing = {
  proposer: `0x${string}`;
  salt?: `0x${string}` | undefined;
  nonce?: bigint | undefined;
  signature?: `0x${string}` | undefined;
  statementSignature?: `0x${string}` | undefined;
};
export type ProposalRequest = CouncilAction & Proposing;
