import type { Schemas } from "../../../../wire/src/routes.ts";
import type { TextKey } from "../../i18n/i18n.ts";
import type { Entered } from "../records/record-dialog.tsx";

type Sms = Schemas["NewPhoneGateway"]["sms"];
export type GatewayKind = Sms["kind"];

/** Kinds of gateways, the usual ones first. Their names are the same in every language, but for the simulator. */
export const gatewayKinds = ["africas-talking", "twilio", "kannel", "smpp", "simulator"] as const;

/** A setting of a gateway. `isSecret`: not shown while it is typed, and not kept by the browser. */
export type Setting = {
  name: string;
  label: TextKey;
  hint?: TextKey;
  placeholder?: string;
  required: boolean;
  isSecret?: boolean;
  isSwitch?: boolean;
};

const required = (name: string, label: TextKey, more: Partial<Setting> = {}): Setting => ({
  name,
  label,
  required: true,
  ...more,
});
const username = required("username", "admin.gateways.username");
const password = required("password", "admin.gateways.password", { isSecret: true });
const from = required("from", "admin.gateways.from", { hint: "admin.gateways.fromHint" });
const optionalFrom = { ...from, required: false };

const privateNetwork: Setting = {
  name: "privateNetwork",
  label: "admin.gateways.privateNetwork",
  hint: "admin.gateways.privateNetworkHint",
  required: false,
  isSwitch: true,
};

/** What each kind of gateway needs in order to send SMS. */
export const settingsOf: Record<GatewayKind, readonly Setting[]> = {
  "africas-talking": [username, required("apiKey", "admin.gateways.apiKey", { isSecret: true }), optionalFrom],
  twilio: [
    required("accountSid", "admin.gateways.accountSid"),
    required("authToken", "admin.gateways.authToken", { isSecret: true }),
    from,
  ],
  kannel: [
    required("url", "admin.gateways.url", { placeholder: "http://127.0.0.1:13013" }),
    privateNetwork,
    username,
    password,
    optionalFrom,
  ],
  smpp: [
    required("url", "admin.gateways.url", {
      hint: "admin.gateways.smppHint",
      placeholder: "smpp://192.0.2.1:2775",
    }),
    privateNetwork,
    required("systemId", "admin.gateways.systemId"),
    password,
    { name: "systemType", label: "admin.gateways.systemType", required: false },
    from,
    required("perSecond", "admin.gateways.perSecond", { hint: "admin.gateways.perSecondHint" }),
  ],
  simulator: [],
};

/** The settings as the API takes them. Empty ones are left out. */
export function smsOf(kind: GatewayKind, { given, isOn }: Pick<Entered, "given" | "isOn">): Sms {
  const entered = settingsOf[kind].flatMap(({ name, isSwitch }): [string, string | number | boolean][] => {
    if (isSwitch === true) return [[name, isOn(name)]];
    const value = given(name);
    if (value === undefined) return [];
    return [[name, name === "perSecond" ? Number(value) : value]];
  });
  return { kind, ...Object.fromEntries(entered) } as Sms;
}

/** What to enter at the provider, by the kind of gateway. Reports that each SMS asks for need no entry. */
export const urlsOf: Record<GatewayKind, readonly ("ussdUrl" | "smsUrl" | "reportUrl")[]> = {
  "africas-talking": ["ussdUrl", "smsUrl", "reportUrl"],
  twilio: ["smsUrl"],
  kannel: ["smsUrl"],
  smpp: [],
  simulator: [],
};

/** Fields that Kannel puts into its `get-url`. */
export const kannelFields = "?id=%I&from=%p&to=%P&text=%b";
