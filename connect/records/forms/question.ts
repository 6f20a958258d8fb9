import type { ReasonCode } from "../reasons.ts";

/** The kinds of forms that Hearth offers. */
export const formKinds = ["household", "device", "kpt", "usage", "delivery"] as const;
export type FormKind = (typeof formKinds)[number];

/** Lists that a form reads from a CSV file that comes with it. */
export type ListName = "households" | "devices";

export type Choice = { name: string; label: string };

type Asked = {
  /** Name of the answer in the record. */
  name: string;
  label: string;
  hint?: string;
  required?: boolean;
  /** XPath: when the question is shown. */
  relevant?: string;
  /** XPath that the answer must satisfy, and what the form says otherwise. The server checks the same by its own rules. */
  constraint?: { xpath: string; message: string };
};

/** What a text must match. `code` is absent in forms that were stored before reasons had codes; all of their patterns are of DIDs. */
type Pattern = { regex: string; message: string; code?: ReasonCode };

/** A question, or a group of them. The XForm is generated from it, and the server reads answers by it. */
export type Question =
  | (Asked & { kind: "text" | "barcode"; pattern?: Pattern })
  | (Asked & { kind: "integer"; min: number; max: number })
  /** Decimals are read exactly, as text. */
  | (Asked & { kind: "decimal"; min: number; max: number; decimals: number })
  | (Asked & { kind: "date" | "dateTime" | "geopoint" | "photo" | "signature" })
  | (Asked & { kind: "select"; choices: Choice[] })
  /** One of a list whose entries may change while the form stays the same. */
  | (Asked & { kind: "selectFrom"; list: ListName })
  | { kind: "group" | "repeat"; name: string; label: string; questions: Question[]; relevant?: string };

export type Form = { kind: FormKind; formId: string; title: string; questions: Question[] };
