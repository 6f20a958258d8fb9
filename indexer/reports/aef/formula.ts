import type { Cell } from "./fields.ts";

/**
 * Prefix text that a spreadsheet would treat as a formula with an apostrophe: authorizations and notes are free text, which must
 * not run when someone opens the file.
 */
export function withoutFormula(cell: Cell): Cell {
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}
