import { sql } from "drizzle-orm";
import type { CreatedGateway } from "../../connect/phones/gateways/schemas.ts";
import type { PhoneRequest } from "../../connect/phones/requests/schemas.ts";
import { type Caller, requireStatus } from "./registry.ts";
import { untilFound } from "./until.ts";
import { openVoucherTest, productId, supplierDid, type VoucherTest } from "./vouchers.ts";

export const number = "+260971234567";
export const pin = "735914";
export const householdDid = "did:ixo:household/1";

export type PhoneTest = VoucherTest & {
  voucherId: string;
  /** Calls as the supplier. */
  sell: Caller;
  makeGateway: (sms: object, more?: object) => Promise<CreatedGateway>;
  /** Revoke a gateway, so that the one before it is used. */
  endGateway: (gateway: CreatedGateway) => Promise<void>;
  /** Let the supplier ask the household for an amount, which sends it an SMS. */
  askFor: (amount: number) => Promise<PhoneRequest>;
  /** Wait until the newest SMS has this status. */
  untilNewest: (status: string) => Promise<void>;
  /** Call a gateway's URL in the process, with a form. */
  call: (url: string, fields: Record<string, string>, headers?: Record<string, string>) => Promise<Response>;
};

/** The other sides of tests are on this machine. */
const local = { privateNetwork: true };

/** For tests: the API with a household that has a voucher of 100 CARBON, a phone and a PIN, and a supplier. Without an index. */
export async function openPhoneTest(env: Record<string, string> = {}): Promise<PhoneTest> {
  const t = await openVoucherTest(env);
  const sell = await t.as("supplier", { supplierDid });
  const emissionCertificateId = await t.certify();
  const issued = await t.issue({ recipientDid: householdDid, emissionCertificateId, value: 100 });
  const voucherId = (requireStatus(issued, 201).body as { id: string }).id;
  requireStatus(await t.admin("PUT", `/households/${encodeURIComponent(householdDid)}/pin`, { pin }), 200);
  requireStatus(await t.admin("POST", "/phones", { householdDid, number, language: "en" }), 201);
  return {
    ...t,
    voucherId,
    sell,
    makeGateway: async (sms, more = {}) =>
      requireStatus(
        await t.admin("POST", "/phones/gateways", {
          name: "Test",
          sms: { ...("url" in sms && local), ...sms },
          ...more,
        }),
        201,
      ).body as CreatedGateway,
    endGateway: async ({ id }) => void requireStatus(await t.admin("DELETE", `/phones/gateways/${id}`), 200),
    askFor: async (amount) => {
      const order = { voucherId, supplierDid, productId, amount };
      return requireStatus(await sell("POST", "/phones/requests", order), 201).body as PhoneRequest;
    },
    untilNewest: async (status) => {
      await untilFound(async () => {
        const newest = sql`select status from phone_messages order by id desc limit 1`;
        const { rows } = await t.deps.db.execute<{ status: string }>(newest);
        return rows[0]?.status === status ? true : undefined;
      });
    },
    call: async (url, fields, headers = {}) => {
      const { pathname, search } = new URL(url);
      return await t.app.request(pathname + search, { method: "POST", body: new URLSearchParams(fields), headers });
    },
  };
}
