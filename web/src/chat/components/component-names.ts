/**
 * Names of the components that the oracle can show in a conversation. They are known before the components are loaded, because the
 * conversation must know which calls have one.
 */
export const componentNames = [
  "count_vouchers",
  "get_amounts_owed",
  "find_problems",
  "get_current_weather",
  "where_is",
  "get_voucher",
  "load_capability",
  "table",
  "chart",
  "voucher_card",
  "trace",
  "ToolCall",
] as const;
export type ComponentName = (typeof componentNames)[number];

/** What the oracle's model must know of the components that it can show; sent with each message. */
export const componentDescriptions = [
  { name: "table", description: "title?: text; columns: list of names; rows: list of lists of values in that order" },
  {
    name: "chart",
    description:
      "title?: text; kind: bar or line; series: list of names; points: list of {label, values: one number for each series}",
  },
  { name: "voucher_card", description: "voucherId; status?; remainingBalance?; value?; expiresAt?: a date" },
  { name: "trace", description: "title?: text; steps: list of {kind, id, amount?, transaction?} in their order" },
];
