import { formatsIn, type StateWords, type Words } from "./words.ts";

export const english: Words = (() => {
  const { amount, number, list, date } = formatsIn("en-GB");
  const states: StateWords = {
    exhausted: "used up",
    swept: "swept",
    pending_delivery: "to be delivered",
    under_review: "under review",
    flagged: "held for review",
  };
  const state = (name: string) => states[name] ?? name.replaceAll(/[_-]/g, " ");
  const many = (count: number, one: string, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`;
  const types: StateWords = { "kpt-claim": "KPT claim", "itmo-block": "block of ITMOs", "itmo-serial": "ITMO serial" };
  return {
    count: ({ total, states: counted, certificateId }, asked) => {
      const of = certificateId === null ? "" : ` of certificate ${certificateId}`;
      const all = list(counted.map(({ status, count }) => `${number(count)} ${state(status)}`));
      if (total === 0) return `There are no vouchers${of}.`;
      if (asked === undefined) return `There ${total === 1 ? "is" : "are"} **${many(total, "voucher")}**${of}: ${all}.`;
      const found = counted.find(({ status }) => status === asked);
      const count = found?.count ?? 0;
      const holds = count === 1 ? "It holds" : "They hold";
      const left = found === undefined || asked !== "active" ? "" : ` ${holds} ${amount(found.remaining)} CARBON.`;
      const others = count === total ? "" : ` Of all ${number(total)}: ${all}.`;
      return `**${many(count, "voucher")}**${of} ${count === 1 ? "is" : "are"} ${state(asked)}.${left}${others}`;
    },
    voucher: ({ id, status, value, remaining, expiryDate }, link) =>
      `Voucher ${link(id)} is **${state(status)}**. ${amount(remaining)} of ${amount(value)} CARBON are left. Its last day is ${date(expiryDate)}.`,
    where: ({ id, type, status, certificate, around, isPartial }, link) => {
      const is = status === null ? "" : `, **${state(status)}**`;
      const from =
        certificate === null || certificate.id === id ? "" : ` It comes from certificate ${link(certificate.id)}.`;
      const tonnes =
        certificate?.id === id
          ? ` ${amount(certificate.verified)} t were verified, and ${amount(certificate.issued)} CARBON were issued.`
          : "";
      const parts = [
        around.vouchers > 0 && type !== "voucher" ? many(around.vouchers, "voucher") : undefined,
        around.redemptions > 0 ? many(around.redemptions, "redemption") : undefined,
        around.claims > 0 ? many(around.claims, "claim") : undefined,
        around.payments > 0 ? many(around.payments, "payment") : undefined,
        around.conversions > 0 ? many(around.conversions, "conversion") : undefined,
        around.itmoBlocks > 0 ? many(around.itmoBlocks, "block of ITMOs", "blocks of ITMOs") : undefined,
      ].filter((part) => part !== undefined);
      const chain = parts.length === 0 ? "" : ` Around it: ${isPartial ? "at least " : ""}${list(parts)}.`;
      return `${link(id)} is a ${types[type] ?? type}${is}.${from}${tonnes}${chain} Its trace shows every step.`;
    },
    owed: ({ role, supplierDid, total, owed, paid, debt }) => {
      const whom = supplierDid === null ? "All suppliers together are owed" : "You are owed";
      const why =
        supplierDid === null
          ? ` You are signed in as ${role === "integrator" ? "a visitor" : role}, not as a supplier.`
          : "";
      const by = list(owed.map(({ status, count, carbon }) => `${amount(carbon)} ${state(status)} (${number(count)})`));
      const was = list(
        paid.map(({ asset, amount: sum, count }) => `${amount(sum)} ${asset} (${many(count, "payment")})`),
      );
      return [
        owed.length === 0 ? `${whom} nothing.` : `${whom} **${amount(total)} CARBON**: ${by}.`,
        paid.length === 0 ? "Nothing has been paid so far." : `Paid so far: ${was}.`,
        debt === "0" ? "" : `${amount(debt)} CARBON are owed back from claims that were found invalid.`,
        why.trim(),
      ]
        .filter((sentence) => sentence !== "")
        .join(" ");
    },
    problems: ({ checked, violated, unchecked, stopped }) => {
      const wrong = violated.map(({ title, violations }) => `- ${title}: **${many(violations, "violation")}**`);
      const unknown = unchecked.map(({ title, reason }) => `- Not checked: ${title} ${reason}`.trim());
      const held = list(stopped.map(({ what, status, count }) => `${many(count, what.slice(0, -1))} ${state(status)}`));
      return [
        violated.length === 0
          ? `Nothing is counted twice: **${many(checked, "check")}** found no violation.`
          : `${many(violated.length, "check")} against double counting failed:\n\n${wrong.join("\n")}`,
        ...(unknown.length === 0 ? [] : [`\n\n${unknown.join("\n")}\n\n`]),
        stopped.length === 0 ? "Nothing is held, disputed, suspended or revoked." : `Waiting or stopped: ${held}.`,
      ].join(" ");
    },
    weather: ({ city, degrees, conditions, isMean }) =>
      isMean
        ? `In ${city} it is usually **${number(degrees)} °C** in this month, ${conditions}. This is a long-term mean, not a measurement.`
        : `In ${city} it is **${number(degrees)} °C**, ${conditions}.`,
    whichVoucher: "Which voucher? Write its number, such as VCHR-….",
    whichId: "Which record? Write its number, such as VCHR-…, CERT-… or CLM-….",
    whichCity: "In which city? Ask for example: What is the weather in Lusaka?",
    failed: (why) => `I could not find that out. ${why}`,
    unclear: "I did not understand that.",
    understood: "I understand questions such as these:",
    examples: [
      "How many vouchers are active?",
      "What is the state of VCHR-…?",
      "What am I owed?",
      "Is anything wrong?",
      "Where is CERT-…?",
      "What is the weather in Lusaka?",
    ],
    fits: (title) => `“${title}” fits what you wrote. It needs a language model, or the pages of the console.`,
    offline: "I answer by fixed rules, because no language model is connected.",
  };
})();
