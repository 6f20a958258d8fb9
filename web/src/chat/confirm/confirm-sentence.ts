import type { ConfirmationRequest } from "@hearth/oracles-client-sdk";
import type { Texts } from "../../i18n/texts.ts";
import { visible } from "../components/literal.ts";

type Sentence = keyof Texts["chat"]["confirm"]["tools"];

/** The sentence of each tool, and the literal arguments that it contains. */
const known: Record<string, { sentence: Sentence; names: readonly string[] }> = {
  issue_voucher: { sentence: "issueVoucher", names: ["value", "emissionCertificateId", "recipientDid"] },
  redeem_voucher: { sentence: "redeemVoucher", names: ["amount", "voucherId", "supplierDid", "productId"] },
  reverse_redemption: { sentence: "reverseRedemption", names: ["redemptionId"] },
  file_claim: { sentence: "fileClaim", names: ["redemptionId"] },
  dispute_claim: { sentence: "disputeClaim", names: ["id", "reason"] },
  swap: { sentence: "swap", names: ["amountIn", "minOut"] },
  request_conversion: { sentence: "requestConversion", names: ["amount", "implementerDid", "vintage"] },
  vfs_delete: { sentence: "deleteFile", names: ["path"] },
};

export type FilledSentence = { sentence: Sentence; values: Record<string, string> };

/**
 * Describe in the user's language what a tool call would do. Undefined for an unknown tool, or when an argument of the
 * sentence is missing: then the runtime's own sentence is shown above the arguments.
 */
export function confirmSentence({ toolName, args }: ConfirmationRequest): FilledSentence | undefined {
  const tool = Object.hasOwn(known, toolName) ? known[toolName] : undefined;
  if (tool === undefined || typeof args !== "object" || args === null) return undefined;
  const given = args as Record<string, unknown>;
  const values: Record<string, string> = {};
  for (const name of tool.names) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    values[name] = visible(String(value));
  }
  return { sentence: tool.sentence, values };
}

/** Whether the oracle has read content of others before this call: then the request may come from that content. */
export function isTainted({ summary }: ConfirmationRequest): boolean {
  return summary.includes("content that you did not write");
}
