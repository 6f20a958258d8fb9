import { Table } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { numberFormat } from "../../i18n/formats.ts";
import { localeOf, type TextKey } from "../../i18n/i18n.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Day, Moment } from "../../show/moment.tsx";
import { type StateKind, useStateWord } from "../../show/state-badge.tsx";
import { TraceLink } from "../trace-link.tsx";
import { type ArgumentLine, argumentsOf, type WordKind } from "./event-fields.ts";
import { useRelation } from "./relation.ts";

/** What an event of the chain says, in words: each argument by its name in the reader's language, with its value formatted. */
export function EventDetails({ event, data }: { event: string; data: unknown }) {
  const { t, i18n } = useTranslation();
  const nameOf = (name: string): ReactNode => {
    const key = [`traced.argument.${name}`, `traced.field.${name}`].find((each) => i18n.exists(each));
    // An argument that a newer index has.
    return key === undefined ? <code>{name}</code> : t(key as TextKey);
  };
  return (
    <Table withRowBorders={false} verticalSpacing={2}>
      <Table.Tbody>
        {argumentsOf(event, data).map((line) => (
          <Table.Tr key={line.key}>
            <Table.Th scope="row" fw={500}>
              {nameOf(line.name)}
            </Table.Th>
            <Table.Td style={{ overflowWrap: "anywhere" }}>
              <Value line={line} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Value({ line: { text, kind, word } }: { line: ArgumentLine }): ReactNode {
  const { t, i18n } = useTranslation();
  const stateWord = useStateWord(isState(word) ? word : "voucher");
  const relationText = useRelation();
  if (isState(word)) return stateWord(text);
  if (word === "word") return t(`traced.word.${text}` as TextKey);
  if (word === "relation") return relationText(text);
  switch (kind) {
    case "carbon":
      return <Amount micro={text} unit="carbon" />;
    case "price":
      return <Amount micro={text} unit="stablecoin" />;
    case "kg":
      return <Amount micro={text} unit="kg" />;
    case "tonnes":
      return <Amount value={text} unit="tonnes" />;
    case "id":
      return <TraceLink id={text} />;
    case "code":
      return <CodeValue value={text} shorten />;
    case "count":
      return numberFormat(localeOf(i18n.language), {}).format(text as Intl.StringNumericLiteral);
    case "day":
      return <Day at={Number(text)} />;
    case "moment":
      return <Moment at={text} />;
    case "yesNo":
      return t(text === "true" ? "common.yes" : "common.no");
    default:
      return <span translate="no">{text}</span>;
  }
}

const isState = (word: WordKind | undefined): word is StateKind =>
  word !== undefined && word !== "word" && word !== "relation" && word !== "name";
