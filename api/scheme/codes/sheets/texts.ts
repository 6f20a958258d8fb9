import type { CardLanguage } from "../../cards/index.ts";

export type CodeTexts = {
  title: string;
  voucher: string;
  validUntil: string;
  howTo: readonly [string, string, string];
  lost: string;
};

/** What is printed on a household's paper, in each language. */
export const codeTexts: Record<CardLanguage, CodeTexts> = {
  en: {
    title: "Codes of your voucher",
    voucher: "Voucher",
    validUntil: "Valid until",
    howTo: [
      "Keep this paper at home like money. Show nobody the codes.",
      "At the shop: say what you want and check the amount. Then show one code.",
      "Each code works once. Cross it out after you have used it.",
    ],
    lost: "Lost? Tell your field team immediately, so that the voucher can be stopped.",
  },
  fr: {
    title: "Codes de votre bon",
    voucher: "Bon",
    validUntil: "Valable jusqu’au",
    howTo: [
      "Gardez ce papier chez vous comme de l’argent. Ne montrez les codes à personne.",
      "Au magasin : dites ce que vous voulez et vérifiez le montant. Montrez ensuite un code.",
      "Chaque code sert une seule fois. Barrez-le après l’avoir utilisé.",
    ],
    lost: "Perdu ? Prévenez tout de suite l’équipe, pour que le bon soit bloqué.",
  },
  pt: {
    title: "Códigos do seu vale",
    voucher: "Vale",
    validUntil: "Válido até",
    howTo: [
      "Guarde este papel em casa como dinheiro. Não mostre os códigos a ninguém.",
      "Na loja: diga o que quer e confira o valor. Depois mostre um código.",
      "Cada código serve uma só vez. Risque-o depois de o usar.",
    ],
    lost: "Perdeu-o? Avise logo a equipa, para que o vale seja bloqueado.",
  },
  sw: {
    title: "Misimbo ya vocha yako",
    voucher: "Vocha",
    validUntil: "Inatumika hadi",
    howTo: [
      "Tunza karatasi hii nyumbani kama fedha. Usimwonyeshe mtu yeyote misimbo.",
      "Dukani: sema unachotaka na uhakikishe kiasi. Kisha onyesha msimbo mmoja.",
      "Kila msimbo hutumika mara moja. Ukate baada ya kuutumia.",
    ],
    lost: "Imepotea? Iambie timu mara moja ili vocha izuiwe.",
  },
};
