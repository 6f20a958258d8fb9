/** A row of a table on a page: the text of each column, by its header. */
export type ShownRow = Record<string, string>;

/**
 * Read the rows of a table as it is shown, for a file. A value that the page shortens or formats is taken whole: of `time` its
 * `datetime`, of `data` its `value`, of others their `title`. Buttons are left out, and so are columns that have nothing else.
 *
 * @param label name of the table, and of its first column when the table has no header
 */
export function rowsShownIn(table: HTMLTableElement, label: string): ShownRow[] {
  const lines = [...table.tBodies].flatMap((body) => [...body.rows]).concat([...(table.tFoot?.rows ?? [])]);
  const cells = lines.map(({ cells }) => [...cells].flatMap(({ colSpan }, index) => spread(cells[index], colSpan)));
  const named = [...(table.tHead?.rows ?? [])].at(-1);
  const width = Math.max(0, ...cells.map((each) => each.length));
  const names = uniqueNames(
    Array.from({ length: width }, (_, column) => {
      const header = named?.cells[column];
      return (header === undefined ? "" : textOf(header)) || (column === 0 ? label : "");
    }),
  );
  const texts = cells.map((line) => names.map((_, column) => (line[column] == null ? "" : textOf(line[column]))));
  const isShown = names.map(
    (_, column) => texts.some((line) => line[column] !== "") || !cells.some((line) => hasButton(line[column])),
  );
  return texts.map((line) =>
    Object.fromEntries(names.flatMap((name, column) => (isShown[column] ? [[name, line[column] ?? ""]] : []))),
  );
}

/** A cell that spans several columns is in the first of them. */
function spread(cell: Element | undefined, span: number): (Element | null)[] {
  return [cell ?? null, ...Array.from({ length: span - 1 }, () => null)];
}

const left = "button, [role=button], svg, [aria-hidden=true]";

function hasButton(cell: Element | null | undefined): boolean {
  return cell?.querySelector("button, [role=button]") != null;
}

/** The text of an element, with values whole and spaces between its parts. */
function textOf(node: Node): string {
  return wordsOf(node).join(" ").replaceAll(/\s+/g, " ").trim();
}

function wordsOf(node: Node): string[] {
  if (node.nodeType === Node.TEXT_NODE) return [node.textContent ?? ""];
  if (!(node instanceof Element) || node.matches(left)) return [];
  const whole = node.getAttribute(wholeIn[node.tagName] ?? "title");
  if (whole !== null && whole !== "") return [whole];
  return [...node.childNodes].flatMap(wordsOf);
}

const wholeIn: Record<string, string> = { TIME: "datetime", DATA: "value" };

/** Names for the columns: a second column of the same name gets a number. */
function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name, column) => {
    const own = name === "" || used.has(name) ? `${name} ${column + 1}`.trim() : name;
    used.add(own);
    return own;
  });
}
