import { Anchor, Table } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { numberFormat } from "../../i18n/formats.ts";
import { localeOf, type TextKey } from "../../i18n/i18n.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Day, Moment } from "../../show/moment.tsx";
import { type StateKind, useStateWord } from "../../show/state-badge.tsx";
import { kindOf, linesOf, type RecordLine } from "./record-fields.ts";
import { useRelation } from "./relation.ts";
import type { TraceNode } from "./report.ts";

/** Kinds of records whose status has a word. */
const states: Partial<Record<TraceNode["type"], StateKind>> = {
  campaign: "campaign",
  "kpt-claim": "kptClaim",
  certificate: "certificate",
  voucher: "voucher",
  redemption: "redemption",
  claim: "claim",
  conversion: "conversion",
  "itmo-block": "itmoBlock",
};

/** A record of the chain in words: each field by its name in the reader's language, with its value formatted. */
export function RecordTable({ type, record }: { type: TraceNode["type"]; record: Record<string, unknown> }) {
  const { t, i18n } = useTranslation();
  const nameOf = (field: string): ReactNode => {
    const key = `traced.field.${field}`;
    // A field that a newer index has.
    if (!i18n.exists(key)) return <code>{field}</code>;
    return t(key as TextKey);
  };
  return (
    <Table withRowBorders={false} layout="fixed" verticalSpacing={4}>
      <Table.Tbody>
        {linesOf(record).map((line) => (
          <Table.Tr key={line.key}>
            {"heading" in line ? (
              <Table.Th scope="row" colSpan={2} pt="sm">
                {nameOf(line.heading)} {line.number}
              </Table.Th>
            ) : (
              <>
                <Table.Th scope="row" fw={500} w="42%" style={{ overflowWrap: "anywhere", verticalAlign: "top" }}>
                  {nameOf(line.field)}
                </Table.Th>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  <Value line={line} type={type} />
                </Table.Td>
              </>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type ValueProps = { type: TraceNode["type"]; line: Extract<RecordLine, { field: string }> };

function Value({ type, line: { field, value, of } }: ValueProps): ReactNode {
  const { t, i18n } = useTranslation();
  const relationText = useRelation();
  const stateWord = useStateWord(states[type] ?? "voucher");
  const consentWord = useStateWord("consent");
  const text = String(value);
  switch (kindOf(field, value)) {
    case "carbon":
      return <Amount value={text} unit="carbon" />;
    case "stablecoin":
      return <Amount value={text} unit="stablecoin" />;
    case "paid":
      return <Amount value={text} unit={of.asset === "stablecoin" ? "stablecoin" : "carbon"} />;
    case "kg":
      return <Amount value={text} unit="kg" />;
    case "tonnes":
      return <Amount value={text} unit="tonnes" />;
    case "code":
      return <CodeValue value={text} shorten />;
    case "count":
      return numberFormat(localeOf(i18n.language), {}).format(text as Intl.StringNumericLiteral);
    case "day":
      return <Day at={text} />;
    case "moment":
      return <Moment at={text} />;
    case "yesNo":
      return t(value === true ? "common.yes" : "common.no");
    case "status":
      return stateWord(text);
    case "consent":
      return consentWord(text);
    case "relation":
      return relationText(text);
    case "terms":
      return (
        <Anchor component={Link} to={`/regulator/campaigns/${encodeURIComponent(String(of.campaignId))}`} size="sm">
          {t("traced.termsLink")}
        </Anchor>
      );
    case "word": {
      const key = `traced.word.${text}`;
      return i18n.exists(key) ? t(key as TextKey) : <span translate="no">{text}</span>;
    }
    default:
      return <span translate="no">{text}</span>;
  }
}
