import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { PageFrame } from "../../show/page-frame.tsx";

type RecordsPageProps = {
  title: string;
  lead: string;
  /** Text of the button that opens the dialog. */
  add: string;
  dialog: (onClose: () => void) => ReactNode;
  children: ReactNode;
};

/** A page with a list of records, and a button that opens the dialog for a new one. */
export function RecordsPage({ title, lead, add, dialog, children }: RecordsPageProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <PageFrame title={title} lead={lead} actions={<Button onClick={() => setOpen(true)}>{add}</Button>}>
      {children}
      {isOpen && dialog(() => setOpen(false))}
    </PageFrame>
  );
}
