import type { NoticeType } from "./topics.ts";

/** Languages of notices. */
export const languages = ["en", "fr"] as const;
export type Language = (typeof languages)[number];

/** One sentence for each type: `{subject}` is the record's id, `{deadline}` a date. */
const sentences: Partial<Record<NoticeType, Record<Language, string>>> = {
  "claim.flagged": {
    en: "Claim {subject} waits for an evaluator's decision.",
    fr: "La déclaration {subject} attend la décision d'un évaluateur.",
  },
  "claim.disputed": {
    en: "Claim {subject} was disputed.",
    fr: "La déclaration {subject} est contestée.",
  },
  "claim.rejected": {
    en: "Claim {subject} was rejected.",
    fr: "La déclaration {subject} a été refusée.",
  },
  "claim.invalidated": {
    en: "Claim {subject} was found invalid after a dispute.",
    fr: "La déclaration {subject} a été annulée après contestation.",
  },
  "redemption.flagged": {
    en: "Redemption {subject} was flagged and waits for a check.",
    fr: "L'encaissement {subject} est signalé et attend une vérification.",
  },
  "redemption.lapsed": {
    en: "Redemption {subject} lapsed: no claim was filed before its deadline.",
    fr: "L'encaissement {subject} est échu : aucune déclaration n'a été déposée à temps.",
  },
  "finding.opened": {
    en: "A verifier opened a finding on campaign {subject}. It waits for an answer.",
    fr: "Un vérificateur a ouvert un constat sur la campagne {subject}. Il attend une réponse.",
  },
  "finding.answered": {
    en: "A finding on campaign {subject} was answered.",
    fr: "Un constat sur la campagne {subject} a reçu une réponse.",
  },
  "finding.closed": {
    en: "A finding on campaign {subject} was closed.",
    fr: "Un constat sur la campagne {subject} est clos.",
  },
  "campaign.closed": {
    en: "Campaign {subject} is closed: its result can be verified.",
    fr: "La campagne {subject} est close : son résultat peut être vérifié.",
  },
  "campaign.deadline_near": {
    en: "The draw of campaign {subject} must be completed before {deadline}.",
    fr: "Le tirage de la campagne {subject} doit être terminé avant le {deadline}.",
  },
  "claim.deadline_near": {
    en: "File the claim for redemption {subject} before {deadline}, or it is not paid.",
    fr: "Déposez la déclaration pour l'encaissement {subject} avant le {deadline}, sinon elle n'est pas payée.",
  },
  "itmo.requested": {
    en: "Conversion {subject} was requested and waits for its review period.",
    fr: "La conversion {subject} est demandée et attend la fin de son délai d'examen.",
  },
  "itmo.reverted": {
    en: "Conversion {subject} was reverted.",
    fr: "La conversion {subject} est annulée.",
  },
  "pool.paused": {
    en: "The liquidity pool was paused. Claims are not paid until it runs again.",
    fr: "La réserve est suspendue. Les déclarations ne sont pas payées avant la reprise.",
  },
  "pool.unpaused": {
    en: "The liquidity pool runs again.",
    fr: "La réserve fonctionne de nouveau.",
  },
  "proposal.made": {
    en: "A proposal to the council waits for approvals.",
    fr: "Une proposition au conseil attend des approbations.",
  },
  "import.finished": {
    en: "The import {subject} has ended. Look whether rows were refused.",
    fr: "L'importation {subject} est terminée. Vérifiez si des lignes ont été refusées.",
  },
  "payout.failed": {
    en: "The payout of {subject} has failed. The console shows the partner's reason.",
    fr: "Le versement de {subject} a échoué. La console montre la raison du partenaire.",
  },
  "payout.account_changed": {
    en: "The mobile account of {subject} was changed. If nobody should have done this, tell the operator immediately.",
    fr: "Le compte mobile de {subject} a été modifié. Si ce n'était pas voulu, prévenez l'opérateur immédiatement.",
  },
  "pin.locked_week": {
    en: "The PIN of card {subject} is locked for a week for one supplier or phone gateway, after wrong tries again and again. See who tried, and set a new PIN with the household.",
    fr: "Le code PIN de la carte {subject} est bloqué une semaine pour un fournisseur ou une passerelle téléphonique, après des essais erronés répétés. Voyez qui a essayé, et définissez un nouveau code avec le ménage.",
  },
  "pin.locked_week_no_card": {
    en: "The PIN of a household without a card is locked for a week for one phone gateway, after wrong tries again and again. Set a new PIN when the household asks for it.",
    fr: "Le code PIN d'un ménage sans carte est bloqué une semaine pour une passerelle téléphonique, après des essais erronés répétés. Définissez un nouveau code quand le ménage le demande.",
  },
  "pin.many_locked": {
    en: "The PINs of {subject} households were locked within an hour. Somebody may be guessing: see whether one supplier or phone gateway made the tries.",
    fr: "Les codes PIN de {subject} ménages ont été bloqués en une heure. Quelqu'un les devine peut-être : voyez si un seul fournisseur ou une seule passerelle téléphonique a fait les essais.",
  },
  "address.confirm": {
    en: "Someone asked Hearth to send notifications to this address. If it was you, confirm it with the link below.",
    fr: "Quelqu'un a demandé que Hearth envoie des notifications à cette adresse. Si c'était vous, confirmez-la par le lien ci-dessous.",
  },
};

/** Types that have a sentence. */
export const noticeTypes = Object.keys(sentences) as NoticeType[];

const phrases = {
  one: { en: "Hearth: something waits for you", fr: "Hearth : quelque chose vous attend" },
  several: { en: "Hearth: {count} things wait for you", fr: "Hearth : {count} choses vous attendent" },
  confirm: { en: "Hearth: confirm your address", fr: "Hearth : confirmez votre adresse" },
  more: { en: "… and {count} more.", fr: "… et {count} de plus." },
  open: { en: "Open the console: {url}", fr: "Ouvrir la console : {url}" },
  confirmLink: { en: "Confirm: {url}", fr: "Confirmer : {url}" },
  ignore: {
    en: "If it was not you, ignore this message: nothing else is sent, and the address is deleted after two days.",
    fr: "Sinon, ignorez ce message : rien d'autre n'est envoyé, et l'adresse est effacée après deux jours.",
  },
  end: { en: "End these notifications: {url}", fr: "Ne plus recevoir ces notifications : {url}" },
} as const;

/** The sentence of a notice. */
export function sentenceOf(
  { type, subject, deadline }: { type: NoticeType; subject: string; deadline: string | null },
  language: Language,
): string {
  const text = sentences[type]?.[language] ?? `${type} {subject}`;
  return fill(text, { subject, deadline: deadline === null ? "" : shownTime(deadline, language) });
}

/** A phrase of the messages' frame. */
export function phrase(name: keyof typeof phrases, language: Language, values: Record<string, string> = {}): string {
  return fill(phrases[name][language], values);
}

function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** Show a time in UTC, since the server does not know where the reader is. */
function shownTime(iso: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return `${format.format(new Date(iso))} UTC`;
}
