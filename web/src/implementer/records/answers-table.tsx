import { Table } from "@mantine/core";
import type { Schemas } from "../../../../wire/src/routes.ts";

type Field = Schemas["SubmissionDetail"]["fields"][number];

/** The questions of a record that have an answer. The forms are in English. */
export function AnswersTable({ fields }: { fields: readonly Field[] }) {
  return (
    <Table layout="fixed">
      <Table.Tbody translate="no" lang="en">
        {fields
          .filter(({ answer }) => answer !== null)
          .map(({ path, label, choices, answer }) => (
            <Table.Tr key={path}>
              <Table.Th scope="row" fw={500} style={{ overflowWrap: "anywhere" }}>
                {label}
              </Table.Th>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                {choices?.find(({ name }) => name === answer)?.label ?? answer}
              </Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
