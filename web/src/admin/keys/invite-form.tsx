import { Group, NativeSelect, Paper, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import type { Role } from "../../session/session.ts";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { ParticipantField } from "./participant-field.tsx";

// Most people who open the page only look.
const InvitationLink = lazy(async () => ({ default: (await import("./invitation-link.tsx")).InvitationLink }));

/** Roles of people. An integrator is a program and gets its key from `npm run keys`. */
const invited = ["supplier", "implementer", "regulator", "evaluator", "admin"] as const satisfies readonly Role[];
/** How long a link can work, in minutes. */
const lives = { hour: 60, day: 1440, week: 10_080 } as const;
type Life = keyof typeof lives;

type Values = { name: string; role: (typeof invited)[number]; did: string | null; life: Life };

/** Make the link with which a person joins on their own device. */
export function InviteForm() {
  const { t } = useTranslation();
  const [made, setMade] = useState<Schemas["CreatedInvitation"]>();
  const form = useForm<Values>({ initialValues: { name: "", role: "supplier", did: null, life: "day" } });
  const { name, role, did } = form.values;
  const kind = role === "supplier" || role === "implementer" ? role : undefined;
  const invite = useMutation({
    mutationFn: (values: Values) =>
      hearth.post("/v1/invitations", {
        body: {
          key: {
            name: values.name.trim(),
            role: values.role,
            ...(values.role === "supplier" && values.did !== null ? { supplierDid: values.did } : {}),
            ...(values.role === "implementer" && values.did !== null ? { implementerDid: values.did } : {}),
          },
          validMinutes: lives[values.life],
        },
      }),
    onSuccess: async (created) => {
      setMade(created);
      form.reset();
      await queryClient.invalidateQueries({ queryKey: ["admin", "invitations"] });
    },
  });
  return (
    <>
      <Paper withBorder p="md">
        <Form
          form={form}
          work={invite}
          submit={t("people.invite")}
          canSubmit={name.trim() !== "" && (kind === undefined || did !== null)}
        >
          <Group gap="sm" align="flex-start">
            <TextInput
              label={t("people.name")}
              description={t("people.nameHint")}
              required
              maxLength={200}
              w={{ base: "100%", xs: 260 }}
              {...form.getInputProps("name")}
            />
            <NativeSelect
              label={t("people.role")}
              description={t(`people.roleHint.${role}`)}
              data={invited.map((value) => ({ value, label: t(`shell.role.${value}`) }))}
              w={{ base: "100%", xs: 260 }}
              {...form.getInputProps("role")}
              onChange={({ currentTarget }) =>
                form.setValues({ role: currentTarget.value as Values["role"], did: null })
              }
            />
            {kind !== undefined && <ParticipantField key={kind} kind={kind} {...form.getInputProps("did")} />}
            <NativeSelect
              label={t("people.valid")}
              description={t("people.validHint")}
              data={(Object.keys(lives) as Life[]).map((value) => ({
                value,
                label: t(`people.validFor.${value}`),
              }))}
              w={{ base: "100%", xs: 200 }}
              {...form.getInputProps("life")}
            />
          </Group>
        </Form>
      </Paper>
      {made !== undefined && (
        <WhenLoaded fallback={null}>
          <InvitationLink invitation={made} onClose={() => setMade(undefined)} />
        </WhenLoaded>
      )}
    </>
  );
}
