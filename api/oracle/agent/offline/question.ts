import type { Language } from "./words.ts";

/** States that a question about vouchers may name. */
export type AskedState = "active" | "exhausted" | "expired" | "suspended" | "cancelled" | "swept" | "revoked";

/** What a question asks for. `id`, `city`: undefined if the question does not name one. */
export type Question =
  | { about: "count"; state: AskedState | undefined; certificateId: string | undefined }
  | { about: "voucher"; id: string | undefined }
  | { about: "where"; id: string | undefined }
  | { about: "owed" }
  | { about: "problems" }
  | { about: "weather"; city: string | undefined }
  | { about: "help" };

/** The words of a subject, without accents, in English, French, Portuguese and Swahili. */
const subjects = {
  weather: anyOf(
    "weather|temperatures?|rain\\w*|sunny|how (hot|warm|cold)",
    "meteo|temps fait|pleut|pluie|fait-il (chaud|froid)",
    "que tempo|tempo faz|clima|chove|chuva|faz (calor|frio)|temperaturas?",
    "hali ya hewa|mvua|joto|baridi",
  ),
  owed: anyOf(
    "owed?|owes|unpaid|been paid|get paid|am i paid",
    "doit|doivent|dus|dues|impaye\\w*|paye|payes|payee|payees|creances?",
    "deve|devem|devid[oa]s?|pago|pagos|por pagar|receber",
    "nadai|ninadai|wanadai|deni|madeni|nimelipwa|kulipwa",
  ),
  problems: anyOf(
    "wrong|problems?|issues|findings?|double|doubly|twice|add up|adds up|anomal\\w*|suspicious",
    "probleme\\w*|anomalie\\w*|erreurs?|cloche|deux fois|constats?|va pas|vont pas",
    "problemas?|anomalias?|erros?|errad[oa]s?|falhas?|duas vezes|suspeit\\w*",
    "tatizo|matatizo|shida|kosa|makosa|kasoro|mara mbili",
  ),
  count: anyOf("how many|number of|count", "combien|nombre", "quantos|quantas|numero de", "ngapi|idadi"),
  vouchers: anyOf("vouchers?", "bons?|coupons?", "vales?", "vocha"),
  state: anyOf(
    "state|status|left|remaining|remains|balance|expires?|expired|valid",
    "etat|statut|reste|restant|solde|expire|valable|valide",
    "estado|resta|restam|saldo|expira|validade|valido",
    "hali|imebaki|zimebaki|salio",
  ),
  where: anyOf(
    "where|trace|tracks?|history|come from|came from|went",
    "ou est|ou sont|ou en est|retrace\\w*|historique|vient|provient|suivi",
    "onde|rasto|rastrear|historico|veio|vem",
    "wapi|fuatilia|ufuatiliaji|imetoka|historia",
  ),
  help: anyOf(
    "help|what can you|what do you|hello|hi",
    "aide|aidez|peux-tu|pouvez-vous|que sais-tu|bonjour|salut",
    "ajuda|ajudar|o que sabe|o que pode|ola|bom dia",
    "msaada|saidia|nisaidie|unaweza|habari|hujambo",
  ),
} as const;

const states: [AskedState, RegExp][] = [
  [
    "exhausted",
    anyOf("used up|exhausted|spent|empty", "epuise\\w*|depense\\w*|utilise\\w*", "esgotad[oa]s?", "\\w*metumika"),
  ],
  [
    "expired",
    anyOf("expired|expire|expires", "perime\\w*", "expirad[oa]s?|expiraram|caducad[oa]s?", "\\w*kwisha muda"),
  ],
  ["suspended", anyOf("suspended", "suspendus?|suspendues?", "suspens[oa]s?", "\\w*mesimamishwa")],
  ["cancelled", anyOf("cancell?ed", "annules?|annulees?", "anulad[oa]s?|cancelad[oa]s?", "\\w*mefutwa")],
  ["swept", anyOf("swept", "recuperad[oa]s?", "\\w*merejeshwa")],
  ["revoked", anyOf("revoked", "revoques?|revoquees?", "revogad[oa]s?", "\\w*mebatilishwa")],
  [
    "active",
    anyOf(
      "active|open|valid|usable",
      "actifs?|actives?|ouverts?|valables?|valides?",
      "ativ[oa]s?|abert[oa]s?|valid[oa]s?",
      "hai|halali",
    ),
  ],
];

/** Words that a question in this language nearly always contains, and one in the other languages does not. */
const usual: Record<Language, RegExp> = {
  en: /\b(how|what|where|which|is|are|am|the|my|of|many|do|does|weather|voucher|wrong|owed|help|hello|this|that|with|for|there)\b/g,
  fr: /\b(combien|quels?|quelles?|est-ce|qu'est|ou est|ou sont|etat|reste|doit|doivent|mes|mon|les|des|du|une|sont|actifs?|bons?|meteo|fait-il|temps|pleut|probleme\w*|aide|bonjour|salut|peux|pouvez|cloche|cela|chez|avec|pour|il y a)\b/g,
  pt: /\b(quantos?|quantas|qual|quais|que tempo|estao|esta|onde|vales?|ativos?|devem?|ha|algum|alguma|problemas?|faz|chove|ajuda|ola|meus?|minhas?|os|das|dos|em|no|na|com|estado|foi|nao|errad[oa]|contad[oa]|duas|vezes|resta|restam)\b/g,
  sw: /\b(vocha|ngapi|ziko|iko|ipi|zipi|hali|hewa|ikoje|ya|za|wa|kiasi|gani|nadai|ninadai|nimelipwa|kuna|tatizo|lolote|shida|wapi|mvua|msaada|habari|hujambo|nini|je|kwa|katika|hai|cheti|leo|kosa|makosa|mara|mbili|deni|ni|unaweza|imetoka|zimekwisha|muda)\b/g,
};

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("’", "'").toLowerCase();

/** The language of a question: English unless it has more words of another. */
export function languageOf(text: string): Language {
  const words = plain(text);
  const count = (language: Language) => words.match(usual[language])?.length ?? 0;
  return (["fr", "pt", "sw"] as const).reduce<Language>(
    (best, each) => (count(each) > count(best) ? each : best),
    "en",
  );
}

const idPattern = /\b(?:VCHR|REDM|CLM|PAY|KPT|CONV|ITMO|SWAP|CERT)-[0-9A-Z][0-9A-Z*~$=_.-]*|\b0x[0-9a-f]{64}\b/gi;
/** Certificates and registries choose their ids: capital letters, digits and hyphens. */
const otherIds = /\b(?=[A-Z0-9-]*\d)[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+\b/g;

/** The ids in a text, in order. A full stop at the end of a sentence belongs to no id. */
export function idsIn(text: string): string[] {
  const found = text.match(idPattern) ?? text.match(otherIds) ?? [];
  return found.map((id) => id.replace(/[.-]+$/, ""));
}

/**
 * Read what a question asks for; undefined when that is unclear.
 * @param earlier earlier messages of the conversation, the last one last: "this voucher" is the last one that they name
 */
export function readQuestion(text: string, earlier: readonly string[] = []): Question | undefined {
  const words = plain(text);
  const says = (subject: keyof typeof subjects) => subjects[subject].test(words);
  const [id] = idsIn(text);
  const isVoucher = id?.toUpperCase().startsWith("VCHR-") === true;
  if (says("count") && says("vouchers") && !isVoucher) {
    const state = states.find(([, pattern]) => pattern.test(words))?.[0];
    return { about: "count", state, certificateId: id };
  }
  if (id !== undefined) return isVoucher && !says("where") ? { about: "voucher", id } : { about: "where", id };
  if (says("weather")) return { about: "weather", city: cityIn(text) };
  if (says("owed")) return { about: "owed" };
  if (says("problems")) return { about: "problems" };
  const known = idsIn(earlier.join("\n"));
  if (says("vouchers") && says("state")) {
    return { about: "voucher", id: known.findLast((each) => each.toUpperCase().startsWith("VCHR-")) };
  }
  if (says("where")) return { about: "where", id: known.at(-1) };
  if (says("help")) return { about: "help" };
  return undefined;
}

const place = String.raw`\p{Lu}[\p{L}'’-]*(?:\s+(?:(?:es|de|da|do|la|el)\s+)?\p{Lu}[\p{L}'’-]*)*`;
const afterPreposition = new RegExp(String.raw`(?:^|\s)(?:in|at|for|à|a|au|en|pour|de|em|katika)\s+(${place})`, "u");
const anyCase = /(?:^|\s)(?:in|at|for|à|au|en|pour|em|katika)\s+(\p{L}[\p{L}'’ -]*)/iu;
const anywhere = new RegExp(String.raw`\S\s+(${place})`, "u");
const first = new RegExp(String.raw`^(${place})\s+(?:weather|temperature)`, "u");
const now =
  /\s+(?:right now|now|today|currently|please|at the moment|maintenant|aujourd['’]hui|en ce moment|actuellement|agora|hoje|sasa|leo)\s*$/iu;

/** A pattern of any of these words, one list for each language. */
function anyOf(...lists: string[]): RegExp {
  return new RegExp(`\\b(${lists.join("|")})\\b`);
}

/** The city that a question about the weather names. */
function cityIn(text: string): string | undefined {
  const found = afterPreposition.exec(text) ?? anyCase.exec(text) ?? first.exec(text) ?? anywhere.exec(text);
  const name = found?.[1]?.replace(now, "").trim();
  return name === "" ? undefined : name;
}
