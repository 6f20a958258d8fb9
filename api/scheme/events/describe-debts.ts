import type { Described, EventType } from "../../platform/events/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { type Describer, nobody, on } from "./describer.ts";
import type { EventLookup } from "./lookup.ts";

/** Only the implementer and the authorities see its debts for revoked certificates. */
export const debtDescribers: [string, Describer][] = [
  on("certificates", "DebtChanged", async ({ certificate, debt }, look) =>
    ofCertificate("implementer.debt_changed", certificate, look, { debt: jsonAmount(debt) }),
  ),
  on("certificates", "DebtRepaid", async ({ implementer, payer, amount, debt }, look) =>
    ofPayment("implementer.debt_repaid", implementer, look, {
      payer,
      amount: jsonAmount(amount),
      debt: jsonAmount(debt),
    }),
  ),
  on("certificates", "ReplacementOwed", async ({ certificate, amount, replacement }, look) =>
    ofCertificate("implementer.replacement_owed", certificate, look, {
      amount: jsonAmount(amount),
      replacement: jsonAmount(replacement),
    }),
  ),
  on("certificates", "CarbonReplaced", async ({ implementer, payer, amount, replacement }, look) =>
    ofPayment("implementer.carbon_replaced", implementer, look, {
      payer,
      amount: jsonAmount(amount),
      replacement: jsonAmount(replacement),
    }),
  ),
];

async function ofCertificate(
  type: EventType,
  certificate: number,
  look: EventLookup,
  facts: object,
): Promise<Described[]> {
  const { implementerDid, emissionCertificateId } = await look.certificate(certificate);
  const data = { implementerDid, emissionCertificateId, ...facts };
  return [{ type, parties: { ...nobody, implementerDid }, data }];
}

async function ofPayment(type: EventType, implementer: number, look: EventLookup, facts: object): Promise<Described[]> {
  const implementerDid = await look.implementerDid(implementer);
  return [{ type, parties: { ...nobody, implementerDid }, data: { implementerDid, ...facts } }];
}
