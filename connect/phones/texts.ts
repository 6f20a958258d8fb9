import type { PhoneLanguage } from "./tables.ts";

/** Why a purchase was refused, in words for the household. */
export const unpaidReasons = [
  "voucherOver",
  "voucherNotYet",
  "balance",
  "product",
  "productLimit",
  "shop",
  "pinLimit",
  "otherConsent",
  "other",
] as const;
export type UnpaidReason = (typeof unpaidReasons)[number];

export type PhoneTexts = {
  menu: string;
  languages: string;
  languageSet: string;
  wrongChoice: string;
  noVouchers: string;
  balance: (carbon: string, vouchers: number, firstEnd: string) => string;
  noRequest: string;
  ask: (supplier: string, product: string, carbon: string) => string;
  refused: string;
  approved: (carbon: string) => string;
  accepted: string;
  pinWrong: string;
  pinLocked: string;
  pinMissing: string;
  unpaid: (reason: UnpaidReason) => string;
  unknownPhone: string;
  tooManyCalls: string;
  incompleteCall: string;
  noHistory: string;
  blockAsk: string;
  blocked: string;
  notBlocked: string;
  noCard: string;
  later: string;
  askedBySms: (supplier: string, carbon: string) => string;
  paidBySms: (carbon: string, product: string, redemptionId: string) => string;
  unpaidBySms: (carbon: string, product: string) => string;
  codeBySms: (supplier: string, code: string) => string;
  ownCodeBySms: (code: string) => string;
  codeSent: string;
  noCode: string;
  tooManyCodes: string;
  noSms: string;
  stopped: string;
  started: string;
};

const languages = "1 English\n2 Français\n3 Português\n4 Kiswahili";

const reasons: Record<PhoneLanguage, Record<UnpaidReason, string>> = {
  en: {
    voucherOver: "this voucher can no longer be used.",
    voucherNotYet: "this voucher cannot be used yet.",
    balance: "your voucher has less than that.",
    product: "the voucher does not pay for this product.",
    productLimit: "the voucher pays less for this product.",
    shop: "this shop may not sell now. Ask the field team.",
    pinLimit: "no more can be paid by PIN today. Try again tomorrow.",
    otherConsent: "a PIN is not enough now. Ask the field team.",
    other: "this does not work now. Try again later.",
  },
  fr: {
    voucherOver: "ce bon ne peut plus servir.",
    voucherNotYet: "ce bon ne peut pas encore servir.",
    balance: "il reste moins que cela sur votre bon.",
    product: "le bon ne paie pas ce produit.",
    productLimit: "le bon paie moins pour ce produit.",
    shop: "ce magasin ne peut pas vendre en ce moment. Demandez à l'équipe.",
    pinLimit: "plus rien ne peut être payé par PIN aujourd'hui. Réessayez demain.",
    otherConsent: "un PIN ne suffit pas en ce moment. Demandez à l'équipe.",
    other: "cela ne marche pas maintenant. Réessayez plus tard.",
  },
  pt: {
    voucherOver: "este vale já não pode ser usado.",
    voucherNotYet: "este vale ainda não pode ser usado.",
    balance: "o seu vale tem menos do que isso.",
    product: "o vale não paga este produto.",
    productLimit: "o vale paga menos por este produto.",
    shop: "esta loja não pode vender agora. Fale com a equipa.",
    pinLimit: "hoje não se pode pagar mais com PIN. Tente amanhã.",
    otherConsent: "um PIN não chega agora. Fale com a equipa.",
    other: "agora não funciona. Tente mais tarde.",
  },
  sw: {
    voucherOver: "vocha hii haiwezi kutumika tena.",
    voucherNotYet: "vocha hii bado haiwezi kutumika.",
    balance: "vocha yako ina kiasi kidogo kuliko hicho.",
    product: "vocha hailipii bidhaa hii.",
    productLimit: "vocha inalipia kiasi kidogo zaidi kwa bidhaa hii.",
    shop: "duka hili haliruhusiwi kuuza sasa. Uliza timu.",
    pinLimit: "leo haiwezekani kulipa zaidi kwa PIN. Jaribu kesho.",
    otherConsent: "PIN haitoshi kwa sasa. Uliza timu.",
    other: "haifanyi kazi sasa. Jaribu baadaye.",
  },
};

/** What a household reads on its phone. Answers leave out accents that the GSM alphabet lacks. */
export const phoneTexts: Record<PhoneLanguage, PhoneTexts> = {
  en: {
    menu: "1 Balance\n2 Approve a purchase\n3 History\n4 Lost card\n5 Language\n6 One-time code",
    languages,
    languageSet: "The language is English now.",
    wrongChoice: "This choice does not exist. Dial again.",
    noVouchers: "You have no voucher that can be used today.",
    balance: (carbon, vouchers, firstEnd) =>
      `You have ${carbon} CARBON in ${vouchers} voucher${vouchers === 1 ? "" : "s"}. The first ends on ${firstEnd}.`,
    noRequest: "No purchase waits for you.",
    ask: (supplier, product, carbon) =>
      `${supplier}: ${product} for ${carbon} CARBON.\nEnter your PIN to agree, 0 to refuse.`,
    refused: "You refused. Nothing was paid.",
    approved: (carbon) => `You agreed to ${carbon} CARBON. An SMS follows.`,
    accepted: "You agreed. An SMS follows when it is done.",
    pinWrong: "The PIN is wrong. Nothing was paid.",
    pinLocked: "The PIN is locked for a day. Ask the field team.",
    pinMissing: "You have no PIN. Ask the field team.",
    unpaid: (reason) => `Nothing was paid: ${reasons.en[reason]}`,
    unknownPhone: "This number is not registered. Ask your field team.",
    tooManyCalls: "Too many calls. Try again in a minute.",
    incompleteCall: "The network sent an incomplete call. Dial again.",
    noHistory: "You have bought nothing yet.",
    blockAsk: "Block your card?\n1 Yes\n0 No",
    blocked: "Your card is blocked. Ask the field team for a new one. Your balance stays.",
    notBlocked: "Your card was not blocked.",
    noCard: "You have no card that can be blocked.",
    later: "This does not work now. Try again later.",
    askedBySms: (supplier, carbon) =>
      `${supplier} asks you for ${carbon} CARBON. Dial the short code to agree or refuse.`,
    paidBySms: (carbon, product, redemptionId) => `You paid ${carbon} CARBON for ${product}. Receipt ${redemptionId}.`,
    unpaidBySms: (carbon, product) =>
      `Your purchase of ${product} for ${carbon} CARBON did not work. Nothing was paid.`,
    codeBySms: (supplier, code) =>
      `${supplier} asks for your code: ${code}. Tell it only for a purchase that you want.`,
    ownCodeBySms: (code) => `Your one-time code: ${code}. Tell it only for a purchase that you want.`,
    codeSent: "An SMS with your code follows.",
    noCode: "You have no code that can be sent. See your paper, or ask the field team.",
    tooManyCodes: "You have asked for many codes. Try again later, or use your paper.",
    noSms: "You get no SMS. Send START first.",
    stopped: "You get no more SMS. Send START to get them again.",
    started: "You get SMS again. Send STOP to end them.",
  },
  fr: {
    menu: "1 Solde\n2 Approuver un achat\n3 Historique\n4 Carte perdue\n5 Langue\n6 Code unique",
    languages,
    languageSet: "La langue est maintenant le français.",
    wrongChoice: "Ce choix n'existe pas. Recomposez le numéro.",
    noVouchers: "Vous n'avez aucun bon utilisable aujourd'hui.",
    balance: (carbon, vouchers, firstEnd) =>
      `Vous avez ${carbon} CARBON sur ${vouchers} bon${vouchers === 1 ? "" : "s"}. Le premier expire le ${firstEnd}.`,
    noRequest: "Aucun achat n'attend votre accord.",
    ask: (supplier, product, carbon) =>
      `${supplier} : ${product} pour ${carbon} CARBON.\nTapez votre PIN pour accepter, 0 pour refuser.`,
    refused: "Vous avez refusé. Rien n'a été payé.",
    approved: (carbon) => `Vous avez accepté ${carbon} CARBON. Un SMS suit.`,
    accepted: "Vous avez accepté. Un SMS suivra.",
    pinWrong: "Le PIN est faux. Rien n'a été payé.",
    pinLocked: "Le PIN est bloqué pour un jour. Demandez à l'équipe.",
    pinMissing: "Vous n'avez pas de PIN. Demandez à l'équipe.",
    unpaid: (reason) => `Rien n'a été payé : ${reasons.fr[reason]}`,
    unknownPhone: "Ce numéro n'est pas enregistré. Demandez à votre équipe.",
    tooManyCalls: "Trop d'appels. Réessayez dans une minute.",
    incompleteCall: "Le réseau a envoyé un appel incomplet. Recomposez le numéro.",
    noHistory: "Vous n'avez encore rien acheté.",
    blockAsk: "Bloquer votre carte ?\n1 Oui\n0 Non",
    blocked: "Votre carte est bloquée. Demandez-en une autre à l'équipe. Votre solde reste.",
    notBlocked: "Votre carte n'a pas été bloquée.",
    noCard: "Vous n'avez pas de carte à bloquer.",
    later: "Cela ne marche pas maintenant. Réessayez plus tard.",
    askedBySms: (supplier, carbon) =>
      `${supplier} vous demande ${carbon} CARBON. Composez le code court pour accepter ou refuser.`,
    paidBySms: (carbon, product, redemptionId) =>
      `Vous avez payé ${carbon} CARBON pour ${product}. Reçu ${redemptionId}.`,
    unpaidBySms: (carbon, product) =>
      `Votre achat de ${product} pour ${carbon} CARBON n'a pas abouti. Rien n'a été payé.`,
    codeBySms: (supplier, code) =>
      `${supplier} demande votre code : ${code}. Dites-le seulement pour un achat que vous voulez.`,
    ownCodeBySms: (code) => `Votre code : ${code}. Dites-le seulement pour un achat que vous voulez.`,
    codeSent: "Un SMS avec votre code suit.",
    noCode: "Aucun code ne peut être envoyé. Voyez votre papier, ou demandez à l'équipe.",
    tooManyCodes: "Vous avez demandé beaucoup de codes. Réessayez plus tard, ou prenez votre papier.",
    noSms: "Vous ne recevez pas de SMS. Envoyez d'abord START.",
    stopped: "Vous ne recevrez plus de SMS. Envoyez START pour en recevoir.",
    started: "Vous recevez de nouveau des SMS. Envoyez STOP pour arrêter.",
  },
  pt: {
    menu: "1 Saldo\n2 Aprovar uma compra\n3 Histórico\n4 Cartão perdido\n5 Língua\n6 Código único",
    languages,
    languageSet: "A língua agora é o português.",
    wrongChoice: "Esta opção não existe. Marque de novo.",
    noVouchers: "Não tem nenhum vale que possa usar hoje.",
    balance: (carbon, vouchers, firstEnd) =>
      `Tem ${carbon} CARBON em ${vouchers} vale${vouchers === 1 ? "" : "s"}. O primeiro acaba em ${firstEnd}.`,
    noRequest: "Nenhuma compra espera por si.",
    ask: (supplier, product, carbon) =>
      `${supplier}: ${product} por ${carbon} CARBON.\nDigite o PIN para aceitar, 0 para recusar.`,
    refused: "Recusou. Nada foi pago.",
    approved: (carbon) => `Aceitou ${carbon} CARBON. Segue um SMS.`,
    accepted: "Aceitou. Segue um SMS quando estiver feito.",
    pinWrong: "O PIN está errado. Nada foi pago.",
    pinLocked: "O PIN está bloqueado por um dia. Fale com a equipa.",
    pinMissing: "Não tem PIN. Fale com a equipa.",
    unpaid: (reason) => `Nada foi pago: ${reasons.pt[reason]}`,
    unknownPhone: "Este número não está registado. Fale com a sua equipa.",
    tooManyCalls: "Chamadas a mais. Tente de novo daqui a um minuto.",
    incompleteCall: "A rede enviou uma chamada incompleta. Marque de novo.",
    noHistory: "Ainda não comprou nada.",
    blockAsk: "Bloquear o cartão?\n1 Sim\n0 Não",
    blocked: "O cartão está bloqueado. Peça outro à equipa. O saldo fica.",
    notBlocked: "O cartão não foi bloqueado.",
    noCard: "Não tem cartão para bloquear.",
    later: "Agora não funciona. Tente mais tarde.",
    askedBySms: (supplier, carbon) =>
      `${supplier} pede-lhe ${carbon} CARBON. Marque o código curto para aceitar ou recusar.`,
    paidBySms: (carbon, product, redemptionId) => `Pagou ${carbon} CARBON por ${product}. Recibo ${redemptionId}.`,
    unpaidBySms: (carbon, product) => `A sua compra de ${product} por ${carbon} CARBON não resultou. Nada foi pago.`,
    codeBySms: (supplier, code) => `${supplier} pede o seu código: ${code}. Diga-o só para uma compra que quer fazer.`,
    ownCodeBySms: (code) => `O seu código: ${code}. Diga-o só para uma compra que quer fazer.`,
    codeSent: "Segue um SMS com o seu código.",
    noCode: "Não há código que se possa enviar. Veja o seu papel ou fale com a equipa.",
    tooManyCodes: "Já pediu muitos códigos. Tente mais tarde, ou use o seu papel.",
    noSms: "Não recebe SMS. Envie primeiro START.",
    stopped: "Não recebe mais SMS. Envie START para voltar a receber.",
    started: "Volta a receber SMS. Envie STOP para parar.",
  },
  sw: {
    menu: "1 Salio\n2 Kubali ununuzi\n3 Historia\n4 Kadi imepotea\n5 Lugha\n6 Msimbo wa mara moja",
    languages,
    languageSet: "Lugha sasa ni Kiswahili.",
    wrongChoice: "Chaguo hili halipo. Piga tena.",
    noVouchers: "Huna vocha ya kutumia leo.",
    balance: (carbon, vouchers, firstEnd) =>
      `Una CARBON ${carbon} kwenye vocha ${vouchers}. Ya kwanza inaisha ${firstEnd}.`,
    noRequest: "Hakuna ununuzi unaokusubiri.",
    ask: (supplier, product, carbon) =>
      `${supplier}: ${product} kwa CARBON ${carbon}.\nAndika PIN kukubali, 0 kukataa.`,
    refused: "Umekataa. Hakuna kilicholipwa.",
    approved: (carbon) => `Umekubali CARBON ${carbon}. SMS itafuata.`,
    accepted: "Umekubali. SMS itafuata ikikamilika.",
    pinWrong: "PIN si sahihi. Hakuna kilicholipwa.",
    pinLocked: "PIN imefungwa kwa siku moja. Uliza timu.",
    pinMissing: "Huna PIN. Uliza timu.",
    unpaid: (reason) => `Hakuna kilicholipwa: ${reasons.sw[reason]}`,
    unknownPhone: "Namba hii haijasajiliwa. Uliza timu yako.",
    tooManyCalls: "Simu ni nyingi mno. Jaribu tena baada ya dakika moja.",
    incompleteCall: "Mtandao umetuma simu isiyokamilika. Piga tena.",
    noHistory: "Bado hujanunua chochote.",
    blockAsk: "Funga kadi yako?\n1 Ndiyo\n0 Hapana",
    blocked: "Kadi yako imefungwa. Omba timu kadi mpya. Salio lako linabaki.",
    notBlocked: "Kadi yako haikufungwa.",
    noCard: "Huna kadi ya kufunga.",
    later: "Haifanyi kazi sasa. Jaribu baadaye.",
    askedBySms: (supplier, carbon) => `${supplier} anaomba CARBON ${carbon}. Piga namba fupi kukubali au kukataa.`,
    paidBySms: (carbon, product, redemptionId) => `Umelipa CARBON ${carbon} kwa ${product}. Risiti ${redemptionId}.`,
    unpaidBySms: (carbon, product) =>
      `Ununuzi wako wa ${product} kwa CARBON ${carbon} haukufaulu. Hakuna kilicholipwa.`,
    codeBySms: (supplier, code) => `${supplier} anaomba msimbo wako: ${code}. Useme kwa ununuzi unaoutaka tu.`,
    ownCodeBySms: (code) => `Msimbo wako: ${code}. Useme kwa ununuzi unaoutaka tu.`,
    codeSent: "SMS yenye msimbo wako itafuata.",
    noCode: "Hakuna msimbo wa kutuma. Angalia karatasi yako, au uliza timu.",
    tooManyCodes: "Umeomba misimbo mingi. Jaribu tena baadaye, au tumia karatasi yako.",
    noSms: "Hupati SMS. Tuma START kwanza.",
    stopped: "Hutapata SMS tena. Tuma START kuzipata.",
    started: "Utapata SMS tena. Tuma STOP kuacha.",
  },
};
