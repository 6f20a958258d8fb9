/** Characters of the GSM 03.38 alphabet, each one septet. */
const basic = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Characters that take an escape and another septet. */
const extended = new Set("^{}\\[~]|€");

/** Most characters of a USSD answer or of one SMS. */
export const MAX_SEPTETS = 160;

/** Write a text in the GSM alphabet: a letter with an accent that it lacks loses the accent, any other character becomes `?`. */
export function toGsm(text: string): string {
  return [...text.normalize("NFC").replace(/[‘’]/g, "'").replace(/[“”]/g, '"').replace(/[–—]/g, "-")]
    .map((symbol) => {
      if (basic.has(symbol) || extended.has(symbol)) return symbol;
      const plain = symbol.normalize("NFD").replace(/\p{M}/gu, "");
      return [...plain].every((letter) => basic.has(letter)) && plain !== "" ? plain : "?";
    })
    .join("");
}

/** Whether the GSM alphabet has every character of a text. */
export function isGsm(text: string): boolean {
  return [...text].every((symbol) => basic.has(symbol) || extended.has(symbol));
}

export function septetsOf(text: string): number {
  return [...text].reduce((sum, symbol) => sum + (extended.has(symbol) ? 2 : 1), 0);
}

/**
 * Write a text for SMS: in the GSM alphabet without the accents that it lacks, because such an SMS holds more than twice as much; unchanged
 * when letters would be lost, such as those of another script.
 */
export function toSms(text: string): string {
  const plain = toGsm(text);
  const lost = plain.split("?").length - text.split("?").length;
  return lost > 0 ? text.normalize("NFC") : plain;
}

/** Shorten a GSM text to a number of septets; a shortened one ends with two dots. */
export function fitGsm(text: string, most = MAX_SEPTETS): string {
  if (septetsOf(text) <= most) return text;
  let kept = "";
  for (const symbol of text) {
    if (septetsOf(kept + symbol) > most - 2) break;
    kept += symbol;
  }
  return `${kept}..`;
}
