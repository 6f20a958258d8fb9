/**
 * Codes of household cards. A card's id is 11 random digits. On paper a check digit by Damm's algorithm follows: it
 * finds every single wrong digit and every swap of two neighbours. The QR code says the same as the 12 digits.
 */

/** Damm's quasigroup of order 10: the row is the digit so far, the column the next one. */
const damm = [
  "0317598642",
  "7092154863",
  "4206871359",
  "1750983426",
  "6123045978",
  "3674209581",
  "5869720134",
  "8945362017",
  "9438617205",
  "2581436790",
];

function checkDigit(digits: string): string {
  let check = "0";
  for (const digit of digits) check = damm[Number(check)]?.charAt(Number(digit)) ?? "";
  return check;
}

/**
 * Write a card's id as the 12 digits on the paper.
 *
 * @example
 * ```ts
 * import { cardCode } from "@hearth/wire";
 *
 * cardCode("40718293651"); // the id and its check digit
 * ```
 */
export function cardCode(cardId: string): string {
  return `${cardId}${checkDigit(cardId)}`;
}

/**
 * Write a card's id as the text of its QR code.
 *
 * @example
 * ```ts
 * import { cardQrText } from "@hearth/wire";
 *
 * cardQrText("40718293651"); // "HC1:40718293651:" and the check digit
 * ```
 */
export function cardQrText(cardId: string): string {
  return `HC1:${cardId}:${checkDigit(cardId)}`;
}

/**
 * Read a card's id from its QR code or its 12 digits, in which spaces and hyphens are ignored. Undefined for any other
 * text, and for a wrong check digit.
 *
 * @example
 * ```ts
 * import { cardCode, readCardCode } from "@hearth/wire";
 *
 * readCardCode(cardCode("40718293651")); // "40718293651"
 * ```
 */
export function readCardCode(text: string): string | undefined {
  const digits = /^HC1:(\d{11}):(\d)$/i.exec(text.trim())?.slice(1).join("") ?? text.replace(/[\s-]/g, "");
  if (!/^\d{12}$/.test(digits)) return undefined;
  const cardId = digits.slice(0, 11);
  return checkDigit(cardId) === digits.charAt(11) ? cardId : undefined;
}

/**
 * Read a card's id as people paste it: its 11 digits, the 12 digits on the paper, or the text of its QR code. Undefined for
 * any other text, and for a wrong check digit.
 *
 * @example
 * ```ts
 * import { readCardId } from "@hearth/wire";
 *
 * readCardId("40718293651"); // "40718293651"
 * ```
 */
export function readCardId(text: string): string | undefined {
  const digits = text.replace(/[\s-]/g, "");
  return /^\d{11}$/.test(digits) ? digits : readCardCode(text);
}
