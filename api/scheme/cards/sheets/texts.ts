import type { CardLanguage } from "../tables.ts";

export type CardTexts = { title: string; howTo: readonly [string, string, string]; lost: string };

/** What is printed on a card, in each language. */
export const cardTexts: Record<CardLanguage, CardTexts> = {
  en: {
    title: "Household card",
    howTo: [
      "Show this card at a shop of the scheme.",
      "Say what you want. Check the amount.",
      "Type your PIN yourself. Never tell it to anyone.",
    ],
    lost: "Lost? Tell your field team immediately. Your balance is safe.",
  },
  fr: {
    title: "Carte du ménage",
    howTo: [
      "Montrez cette carte dans un magasin du programme.",
      "Dites ce que vous voulez. Vérifiez le montant.",
      "Tapez vous-même votre code PIN. Ne le dites à personne.",
    ],
    lost: "Perdue ? Prévenez tout de suite l’équipe. Votre solde est conservé.",
  },
  pt: {
    title: "Cartão do agregado",
    howTo: [
      "Mostre este cartão numa loja do programa.",
      "Diga o que quer. Confira o valor.",
      "Digite você mesmo o seu PIN. Não o diga a ninguém.",
    ],
    lost: "Perdeu-o? Avise logo a equipa. O seu saldo fica seguro.",
  },
  sw: {
    title: "Kadi ya kaya",
    howTo: [
      "Onyesha kadi hii kwenye duka la mpango.",
      "Sema unachotaka. Hakikisha kiasi.",
      "Andika PIN yako mwenyewe. Usimwambie mtu yeyote.",
    ],
    lost: "Imepotea? Iambie timu mara moja. Salio lako liko salama.",
  },
};
