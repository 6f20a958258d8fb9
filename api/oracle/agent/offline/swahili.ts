import { conditionsIn } from "./weather-words.ts";
import { formatsIn, type StateWords, type Words } from "./words.ts";

export const swahili: Words = (() => {
  const { amount, number, list, date } = formatsIn("sw");
  const states: StateWords = {
    active: "hai",
    exhausted: "imetumika yote",
    expired: "imekwisha muda",
    suspended: "imesimamishwa",
    cancelled: "imefutwa",
    swept: "imerejeshwa",
    revoked: "imebatilishwa",
    pending: "inasubiri",
    valid: "halali",
    pending_delivery: "haijafikishwa",
    under_review: "inakaguliwa",
    disputed: "inapingwa",
    flagged: "imezuiwa kwa ukaguzi",
    settled: "imelipwa",
    reversed: "imerudishwa",
    lapsed: "imepitwa na muda",
    rejected: "imekataliwa",
    invalidated: "imebatilishwa",
    approved: "imekubaliwa",
    filed: "imewasilishwa",
    requested: "imeombwa",
    finalised: "imekamilika",
    reverted: "imerudishwa",
    held: "inashikiliwa",
  };
  const state = (name: string) => states[name] ?? name.replaceAll(/[_-]/g, " ");
  // A number follows its noun.
  const many = (count: number, noun: string) => `${noun} ${number(count)}`;
  const types: StateWords = {
    campaign: "kampeni",
    draw: "uteuzi",
    "kpt-claim": "kipimo cha KPT",
    result: "matokeo",
    certificate: "cheti",
    voucher: "vocha",
    redemption: "matumizi ya vocha",
    claim: "dai",
    payment: "malipo",
    account: "akaunti",
    pool: "hazina",
    swap: "ubadilishanaji",
    conversion: "ubadilishaji",
    "itmo-block": "kundi la ITMO",
    "itmo-serial": "namba ya ITMO",
    action: "tendo",
    transaction: "muamala",
  };
  const roles: StateWords = {
    admin: "msimamizi",
    implementer: "mtekelezaji",
    evaluator: "mtathmini",
    regulator: "mdhibiti",
    integrator: "mgeni",
  };
  const stoppedWords = { claims: "madai", vouchers: "vocha", certificates: "vyeti" } as const;
  return {
    count: ({ total, states: counted, certificateId }, asked) => {
      const of = certificateId === null ? "" : ` za cheti ${certificateId}`;
      const all = list(counted.map(({ status, count }) => `${number(count)} ${state(status)}`));
      if (total === 0) return `Hakuna vocha${of}.`;
      if (asked === undefined) return `Kuna **${many(total, "vocha")}**${of}: ${all}.`;
      const found = counted.find(({ status }) => status === asked);
      const count = found?.count ?? 0;
      const left = found === undefined || asked !== "active" ? "" : ` Zimebaki CARBON ${amount(found.remaining)}.`;
      const others = count === total ? "" : ` Kati ya ${number(total)} zote: ${all}.`;
      return `**${many(count, "vocha")}**${of}: ${state(asked)}.${left}${others}`;
    },
    voucher: ({ id, status, value, remaining, expiryDate }, link) =>
      `Hali ya vocha ${link(id)}: **${state(status)}**. Zimebaki CARBON ${amount(remaining)} kati ya ${amount(value)}. Siku ya mwisho ni ${date(expiryDate)}.`,
    where: ({ id, type, status, certificate, around, isPartial }, link) => {
      const is = status === null ? "" : `, **${state(status)}**`;
      const from = certificate === null || certificate.id === id ? "" : ` Imetoka cheti ${link(certificate.id)}.`;
      const tonnes =
        certificate?.id === id
          ? ` Tani ${amount(certificate.verified)} zilithibitishwa, na CARBON ${amount(certificate.issued)} zilitolewa.`
          : "";
      const parts = [
        around.vouchers > 0 && type !== "voucher" ? many(around.vouchers, "vocha") : undefined,
        around.redemptions > 0 ? many(around.redemptions, "matumizi") : undefined,
        around.claims > 0 ? many(around.claims, "madai") : undefined,
        around.payments > 0 ? many(around.payments, "malipo") : undefined,
        around.conversions > 0 ? many(around.conversions, "ubadilishaji") : undefined,
        around.itmoBlocks > 0 ? many(around.itmoBlocks, "makundi ya ITMO") : undefined,
      ].filter((part) => part !== undefined);
      const chain = parts.length === 0 ? "" : ` Inahusiana na: ${isPartial ? "angalau " : ""}${list(parts)}.`;
      return `${link(id)} ni ${types[type] ?? type}${is}.${from}${tonnes}${chain} Ufuatiliaji unaonyesha kila hatua.`;
    },
    owed: ({ role, supplierDid, total, owed, paid, debt }) => {
      const whom = supplierDid === null ? "Wasambazaji wote kwa pamoja wanadai" : "Unadai";
      const nothing = supplierDid === null ? "Wasambazaji hawadai chochote." : "Hudai chochote.";
      const by = list(owed.map(({ status, count, carbon }) => `${amount(carbon)} ${state(status)} (${number(count)})`));
      const was = list(
        paid.map(({ asset, amount: sum, count }) => `${asset} ${amount(sum)} (${many(count, "malipo")})`),
      );
      return [
        owed.length === 0 ? nothing : `${whom} **CARBON ${amount(total)}**: ${by}.`,
        paid.length === 0 ? "Hakuna kilicholipwa bado." : `Kilicholipwa: ${was}.`,
        debt === "0" ? "" : `CARBON ${amount(debt)} zinapaswa kurudishwa kwa madai yaliyobatilishwa.`,
        supplierDid === null ? `Jukumu lako ni: ${roles[role] ?? role}. Wewe si msambazaji.` : "",
      ]
        .filter((sentence) => sentence !== "")
        .join(" ");
    },
    problems: ({ checked, violated, unchecked, stopped }) => {
      const wrong = violated.map(({ title, violations }) => `- ${title}: **${many(violations, "makosa")}**`);
      const unknown = unchecked.map(({ title, reason }) => `- Haijakaguliwa: ${title} ${reason}`.trim());
      const held = list(
        stopped.map(({ what, status, count }) => `${many(count, stoppedWords[what])}: ${state(status)}`),
      );
      return [
        violated.length === 0
          ? `Hakuna kilichohesabiwa mara mbili: **${many(checked, "kaguzi")}** bila kosa.`
          : `${many(violated.length, "kaguzi")} za kuhesabu mara mbili zimeshindwa:\n\n${wrong.join("\n")}`,
        ...(unknown.length === 0 ? [] : [`\n\n${unknown.join("\n")}\n\n`]),
        stopped.length === 0
          ? "Hakuna kilichozuiwa, kinachopingwa, kilichosimamishwa au kilichobatilishwa."
          : `Vinavyosubiri au vilivyosimama: ${held}.`,
      ].join(" ");
    },
    weather: ({ city, degrees, conditions, isMean }) =>
      isMean
        ? `${city}: kwa kawaida ni **${number(degrees)} °C** mwezi huu (${conditionsIn("sw", conditions)}). Huu ni wastani wa muda mrefu, si kipimo.`
        : `${city}: sasa ni **${number(degrees)} °C** (${conditionsIn("sw", conditions)}).`,
    whichVoucher: "Vocha ipi? Andika namba yake, kwa mfano VCHR-….",
    whichId: "Rekodi ipi? Andika namba yake, kwa mfano VCHR-…, CERT-… au CLM-….",
    whichCity: "Katika mji upi? Uliza kwa mfano: Hali ya hewa ikoje Lusaka?",
    failed: (why) => `Sikuweza kupata jibu. ${why}`,
    unclear: "Sikuelewa.",
    understood: "Ninaelewa maswali kama haya:",
    examples: [
      "Vocha ngapi ziko hai?",
      "Hali ya VCHR-… ni ipi?",
      "Nadai kiasi gani?",
      "Kuna tatizo lolote?",
      "CERT-… iko wapi?",
      "Hali ya hewa ikoje Lusaka?",
    ],
    fits: (title) => `“${title}” inalingana na ulichoandika. Inahitaji modeli ya lugha, au kurasa za konsoli.`,
    offline: "Ninajibu kwa kanuni zilizowekwa, kwa sababu hakuna modeli ya lugha iliyounganishwa.",
  };
})();
