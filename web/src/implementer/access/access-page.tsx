import { Stack, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { Form } from "../../forms/form.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { HouseholdCards } from "./household-cards.tsx";
import { HouseholdPhones } from "./household-phones.tsx";
import { HouseholdPin } from "./household-pin.tsx";

/** A household's card, PIN and phones: what it needs to buy without a smartphone. */
export function AccessPage() {
  const { t } = useTranslation();
  const [did, setDid] = useState<string>();
  const form = useForm({ initialValues: { did: "" } });
  const found = useQuery({
    queryKey: ["implementer", "access", did],
    enabled: did !== undefined,
    queryFn: ({ signal }) => hearth.get("/v1/households/{did}", { path: { did: did ?? "" }, signal }),
  });
  const find = { mutate: ({ did: typed }: { did: string }) => setDid(typed.trim()), isPending: false, error: null };
  return (
    <PageFrame title={t("nav.implementer.access")} lead={t("implementer.access.lead")}>
      <Form
        form={form}
        work={find}
        submit={t("implementer.access.find")}
        canSubmit={form.values.did.trim() !== ""}
        maw={480}
      >
        <TextInput
          label={t("implementer.access.household")}
          placeholder="did:ixo:household/…"
          required
          spellCheck={false}
          {...form.getInputProps("did")}
        />
      </Form>
      {found.isError && <ErrorNotice error={found.error} />}
      {did !== undefined && found.isLoading && <Loading />}
      {did !== undefined && found.isSuccess && (
        <>
          <Section title={t("implementer.access.cards")}>
            <HouseholdCards did={did} />
          </Section>
          <Section title={t("implementer.access.pin")}>
            <HouseholdPin did={did} />
          </Section>
          <Section title={t("implementer.access.phones")}>
            <HouseholdPhones did={did} />
          </Section>
        </>
      )}
    </PageFrame>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  );
}
