import type { AmountsOwed, Problems, VoucherCounts } from "../../plugins/indexer/figures.ts";
import type { WhereIs } from "../../plugins/indexer/where-is.ts";

export type Language = "en" | "fr";

/** A voucher as the API or the index gives it. */
export type VoucherFacts = {
  id: string;
  status: string;
  value: string;
  remaining: string;
  expiryDate: string;
};

export type WeatherFacts = { city: string; degrees: number; conditions: string; isMean: boolean };

/** The sentences of the offline answers in one language. `link` makes an id a link to its trace. */
export type Words = {
  count: (counts: VoucherCounts, asked: string | undefined) => string;
  voucher: (voucher: VoucherFacts, link: Link) => string;
  where: (found: WhereIs, link: Link) => string;
  owed: (amounts: AmountsOwed) => string;
  problems: (found: Problems) => string;
  weather: (weather: WeatherFacts) => string;
  whichVoucher: string;
  whichId: string;
  whichCity: string;
  failed: (why: string) => string;
  unclear: string;
  understood: string;
  examples: readonly string[];
  /** Names a capability that fits a text which the rules do not cover. */
  fits: (title: string) => string;
  /** Says that no language model answers. */
  offline: string;
};
type Link = (id: string) => string;

/** Words for states. A state that is not listed is shown as it is. */
type StateWords = { [state: string]: string };

/** Format decimal text with the language's separators; every digit stays. */
const amountIn = (language: string) => {
  const format = new Intl.NumberFormat(language, { maximumFractionDigits: 20 });
  return (decimal: string) => format.format(decimal as Intl.StringNumericLiteral);
};
const numberIn = (language: string) => {
  const format = new Intl.NumberFormat(language);
  return (count: number) => format.format(count);
};
const listIn = (language: string) => {
  const format = new Intl.ListFormat(language, { type: "conjunction" });
  return (parts: string[]) => format.format(parts);
};
const dateIn = (language: string) => {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  return (date: string) => format.format(new Date(date));
};

const english: Words = (() => {
  const [amount, number, list, date] = [amountIn("en-GB"), numberIn("en-GB"), listIn("en-GB"), dateIn("en-GB")];
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

const french: Words = (() => {
  const [amount, number, list, date] = [amountIn("fr"), numberIn("fr"), listIn("fr"), dateIn("fr")];
  const states: StateWords = {
    active: "actif",
    exhausted: "épuisé",
    expired: "expiré",
    suspended: "suspendu",
    cancelled: "annulé",
    swept: "récupéré",
    revoked: "révoqué",
    pending: "en attente",
    valid: "valide",
    pending_delivery: "à livrer",
    under_review: "en examen",
    disputed: "contesté",
    flagged: "retenu pour examen",
    settled: "réglé",
    reversed: "annulé",
    lapsed: "échu",
    rejected: "refusé",
    invalidated: "invalidé",
    approved: "approuvé",
    filed: "déposé",
    requested: "demandé",
    finalised: "finalisé",
    reverted: "annulé",
    held: "détenu",
  };
  const state = (name: string) => states[name] ?? name.replaceAll(/[_-]/g, " ");
  const many = (count: number, one: string, more = `${one}s`) => `${number(count)} ${count < 2 ? one : more}`;
  const agreed = (count: number, name: string) => {
    const word = state(name);
    return count < 2 || / |s$/.test(word) ? word : `${word}s`;
  };
  const types: StateWords = {
    campaign: "une campagne",
    draw: "un tirage",
    "kpt-claim": "une mesure KPT",
    result: "un résultat",
    certificate: "un certificat",
    voucher: "un bon",
    redemption: "un encaissement",
    claim: "une déclaration de livraison",
    payment: "un paiement",
    account: "un compte",
    pool: "la réserve d’échange",
    swap: "un échange",
    conversion: "une conversion",
    "itmo-block": "un bloc d’ITMO",
    "itmo-serial": "un numéro de série d’ITMO",
    action: "une action",
    transaction: "une transaction",
  };
  const roles: StateWords = {
    admin: "administration",
    implementer: "porteur de projet",
    evaluator: "évaluateur",
    regulator: "régulateur",
    integrator: "visiteur",
  };
  const stoppedWords = { claims: "déclaration", vouchers: "bon", certificates: "certificat" } as const;
  return {
    count: ({ total, states: counted, certificateId }, asked) => {
      const of = certificateId === null ? "" : ` du certificat ${certificateId}`;
      const all = list(counted.map(({ status, count }) => `${number(count)} ${agreed(count, status)}`));
      if (total === 0) return `Il n’y a pas de bons${of}.`;
      if (asked === undefined) return `Il y a **${many(total, "bon")}**${of} : ${all}.`;
      const found = counted.find(({ status }) => status === asked);
      const count = found?.count ?? 0;
      const left = found === undefined || asked !== "active" ? "" : ` Il y reste ${amount(found.remaining)} CARBON.`;
      const others = count === total ? "" : ` Sur ${number(total)} en tout : ${all}.`;
      return `**${many(count, "bon")}**${of} ${agreed(count, asked)}.${left}${others}`;
    },
    voucher: ({ id, status, value, remaining, expiryDate }, link) =>
      `Le bon ${link(id)} est **${state(status)}**. Il reste ${amount(remaining)} CARBON sur ${amount(value)}. Son dernier jour est le ${date(expiryDate)}.`,
    where: ({ id, type, status, certificate, around, isPartial }, link) => {
      const is = status === null ? "" : `, **${state(status)}**`;
      const from =
        certificate === null || certificate.id === id ? "" : ` Il vient du certificat ${link(certificate.id)}.`;
      const tonnes =
        certificate?.id === id
          ? ` ${amount(certificate.verified)} t ont été vérifiées et ${amount(certificate.issued)} CARBON émis.`
          : "";
      const parts = [
        around.vouchers > 0 && type !== "voucher" ? many(around.vouchers, "bon") : undefined,
        around.redemptions > 0 ? many(around.redemptions, "encaissement") : undefined,
        around.claims > 0 ? many(around.claims, "déclaration") : undefined,
        around.payments > 0 ? many(around.payments, "paiement") : undefined,
        around.conversions > 0 ? many(around.conversions, "conversion") : undefined,
        around.itmoBlocks > 0 ? many(around.itmoBlocks, "bloc d’ITMO", "blocs d’ITMO") : undefined,
      ].filter((part) => part !== undefined);
      const chain = parts.length === 0 ? "" : ` Autour : ${isPartial ? "au moins " : ""}${list(parts)}.`;
      return `${link(id)} est ${types[type] ?? type}${is}.${from}${tonnes}${chain} Son suivi montre chaque étape.`;
    },
    owed: ({ role, supplierDid, total, owed, paid, debt }) => {
      const whom = supplierDid === null ? "On doit à tous les fournisseurs ensemble" : "On vous doit";
      const by = list(owed.map(({ status, count, carbon }) => `${amount(carbon)} ${state(status)} (${number(count)})`));
      const was = list(
        paid.map(({ asset, amount: sum, count }) => `${amount(sum)} ${asset} (${many(count, "paiement")})`),
      );
      return [
        owed.length === 0
          ? supplierDid === null
            ? "Rien n’est dû aux fournisseurs."
            : "On ne vous doit rien."
          : `${whom} **${amount(total)} CARBON** : ${by}.`,
        paid.length === 0 ? "Rien n’a encore été payé." : `Déjà payé : ${was}.`,
        debt === "0" ? "" : `${amount(debt)} CARBON sont à rendre pour des déclarations jugées invalides.`,
        supplierDid === null ? `Votre rôle est : ${roles[role] ?? role}. Vous n’êtes pas fournisseur.` : "",
      ]
        .filter((sentence) => sentence !== "")
        .join(" ");
    },
    problems: ({ checked, violated, unchecked, stopped }) => {
      const wrong = violated.map(({ title, violations }) => `- ${title} : **${many(violations, "infraction")}**`);
      const unknown = unchecked.map(({ title, reason }) => `- Non vérifié : ${title} ${reason}`.trim());
      const held = list(
        stopped.map(({ what, status, count }) => `${many(count, stoppedWords[what])} : ${state(status)}`),
      );
      return [
        violated.length === 0
          ? `Rien n’est compté deux fois : **${many(checked, "contrôle")}** sans infraction.`
          : `${many(violated.length, "contrôle")} du double comptage en échec :\n\n${wrong.join("\n")}`,
        ...(unknown.length === 0 ? [] : [`\n\n${unknown.join("\n")}\n\n`]),
        stopped.length === 0 ? "Rien n’est retenu, contesté, suspendu ou révoqué." : `En attente ou arrêté : ${held}.`,
      ].join(" ");
    },
    weather: ({ city, degrees, conditions, isMean }) =>
      isMean
        ? `À ${city}, il fait d’ordinaire **${number(degrees)} °C** ce mois-ci (${conditions}). C’est une moyenne de long terme, pas une mesure.`
        : `À ${city}, il fait **${number(degrees)} °C** (${conditions}).`,
    whichVoucher: "Quel bon ? Écrivez son numéro, par exemple VCHR-….",
    whichId: "Quel enregistrement ? Écrivez son numéro, par exemple VCHR-…, CERT-… ou CLM-….",
    whichCity: "Dans quelle ville ? Demandez par exemple : Quel temps fait-il à Lusaka ?",
    failed: (why) => `Je n’ai pas pu le trouver. ${why}`,
    unclear: "Je n’ai pas compris.",
    understood: "Je comprends des questions comme celles-ci :",
    examples: [
      "Combien de bons sont actifs ?",
      "Quel est l’état de VCHR-… ?",
      "Combien me doit-on ?",
      "Y a-t-il un problème ?",
      "Où est CERT-… ?",
      "Quel temps fait-il à Lusaka ?",
    ],
    fits: (title) =>
      `« ${title} » correspond à votre message. Il y faut un modèle de langage, ou les pages de la console.`,
    offline: "Je réponds selon des règles fixes, car aucun modèle de langage n’est connecté.",
  };
})();

export const wordsIn: Record<Language, Words> = { en: english, fr: french };
