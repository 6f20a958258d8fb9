import type { Cell } from "./fields.ts";

/**
 * Text that a spreadsheet would take for a formula, made plain by an apostrophe in front: authorizations and notes are
 * free text, and whoever opens the file must not run it.
 */
export function withoutFormula(cell: Cell): Cell {
  return typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}
