import { Accordion, Button, Checkbox, JsonInput, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../forms/form.tsx";
import { signInWithKey } from "../session/holder.ts";
import type { ProofKey } from "../session/proof-keys.ts";
import { isRemembered } from "../session/session.ts";
import { keep, kept } from "../session/vault.ts";
import { CodeValue } from "../show/code-value.tsx";

/** Storage name of a key pair made here for an API key that does not exist yet. */
const pending = "proof-key";

/** Sign in with an API key; for a supplier's key, with the key pair that it is bound to. */
export function KeyForm() {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { token: "", jwk: "", remember: isRemembered() } });
  const [made, setMade] = useState(() => kept<ProofKey>(pending));
  const signIn = useMutation({
    mutationFn: async ({ token, jwk, remember }: typeof form.values) => {
      const { importProofKey } = await import("../session/proof-keys.ts");
      const proof = jwk.trim() === "" ? made : await importProofKey(jwk);
      if (jwk.trim() !== "" && proof === undefined) throw new Error(t("shell.signIn.wrongJwk"));
      await signInWithKey({ token: token.trim(), ...(proof === undefined ? {} : { proof }) }, remember);
    },
  });
  const createPair = async () => {
    const { createProofKey } = await import("../session/proof-keys.ts");
    const pair = await createProofKey();
    keep(pending, pair);
    setMade(pair);
  };
  return (
    <Form form={form} work={signIn} submit={t("shell.signIn.submit")} canSubmit={form.values.token.trim() !== ""}>
      <PasswordInput
        label={t("shell.signIn.key")}
        description={t("shell.signIn.keyHint")}
        autoComplete="off"
        spellCheck={false}
        required
        {...form.getInputProps("token")}
      />
      <Accordion variant="contained" defaultValue={made === undefined ? null : "proof"}>
        <Accordion.Item value="proof">
          <Accordion.Control>{t("shell.signIn.proof")}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="sm">
              <Text size="sm">{t("shell.signIn.proofHint")}</Text>
              {made === undefined ? (
                <Button variant="default" onClick={createPair}>
                  {t("shell.signIn.proofCreate")}
                </Button>
              ) : (
                <PublicKey pair={made} />
              )}
              <JsonInput
                label={t("shell.signIn.proofJwk")}
                autosize
                minRows={2}
                maxRows={6}
                autoComplete="off"
                {...form.getInputProps("jwk")}
              />
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
      <Checkbox
        label={t("shell.signIn.remember")}
        description={t("shell.signIn.rememberHint")}
        {...form.getInputProps("remember", { type: "checkbox" })}
      />
    </Form>
  );
}

function PublicKey({ pair }: { pair: ProofKey }) {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {t("shell.signIn.proofPublic")}
      </Text>
      <CodeValue value={JSON.stringify(pair.publicJwk)} />
    </Stack>
  );
}
