import { conditionsIn } from "./weather-words.ts";
import { formatsIn, type StateWords, type Words } from "./words.ts";

export const french: Words = (() => {
  const { amount, number, list, date } = formatsIn("fr");
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
        ? `À ${city}, il fait d’ordinaire **${number(degrees)} °C** ce mois-ci (${conditionsIn("fr", conditions)}). C’est une moyenne de long terme, pas une mesure.`
        : `À ${city}, il fait **${number(degrees)} °C** (${conditionsIn("fr", conditions)}).`,
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
