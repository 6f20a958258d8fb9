import { Alert, Checkbox, Group, NativeSelect, Paper, Switch, Textarea, TextInput, Title } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Form } from "../../forms/form.tsx";
import { readServiceDid } from "../../identity/bearer.ts";
import type { Identity } from "../../identity/identity-store.ts";
import { loadSigning } from "../../identity/load-signing.ts";
import { type FileAbility, fileAbilities } from "../../identity/resource.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { type MintedToken, mintedTokens } from "./minted-tokens.ts";
import { claimsOf, lifetimesFor, type TokenProblem, type TokenRequest, tokenProblems } from "./token-request.ts";

const first: TokenRequest = {
  abilities: ["fs/read"],
  path: "/",
  lifetime: "2h",
  audience: "",
  reveal: false,
  cids: "",
  once: false,
};

/** Sign a token for a part of the namespace in this tab, without a request to the server. */
export function MintCard({ identity }: { identity: Identity }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {t("files.tokens.mint")}
      </Title>
      <MintForm identity={identity} />
    </Paper>
  );
}

/** The same form for a path that is already selected. */
export function MintForm({ identity, path = "/" }: { identity: Identity; path?: string }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<MintedToken>();
  const problemOf = (name: TokenProblem) => (_: unknown, request: TokenRequest) =>
    tokenProblems(request).includes(name) ? t(`files.tokens.problem.${name}`) : null;
  const form = useForm<TokenRequest>({
    initialValues: { ...first, path },
    validate: {
      abilities: problemOf("ability"),
      path: problemOf("path"),
      audience: problemOf("audience"),
      lifetime: problemOf("lifetime"),
      cids: problemOf("cids"),
    },
  });
  // A bearer token's maximum lifetime is shorter than a delegation's.
  form.watch("audience", ({ value }) => {
    const allowed = lifetimesFor(value);
    if (!allowed.includes(form.getValues().lifetime)) form.setFieldValue("lifetime", allowed[0] ?? "30m");
  });
  const sign = useMutation({
    mutationFn: (request: TokenRequest) => signToken(identity, request),
    onMutate: () => setShown(undefined),
    onSuccess: setShown,
  });
  return (
    <>
      <Form form={form} work={sign} submit={t("files.tokens.submit")} gap="sm">
        <RequestFields form={form} />
      </Form>
      {shown !== undefined && <ShownOnce token={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

function RequestFields({ form }: { form: UseFormReturnType<TokenRequest> }) {
  const { t } = useTranslation();
  const { audience } = form.values;
  return (
    <>
      <Checkbox.Group label={t("files.tokens.abilities")} {...form.getInputProps("abilities")}>
        <Group gap="md" mt={4}>
          {fileAbilities.map((ability) => (
            <Checkbox key={ability} value={ability} label={t(`files.tokens.ability.${shortOf(ability)}`)} />
          ))}
        </Group>
      </Checkbox.Group>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          label={t("files.tokens.path")}
          description={t("files.tokens.pathHint")}
          {...form.getInputProps("path")}
        />
        <NativeSelect
          label={t("files.tokens.lifetime")}
          description={t("files.tokens.lifetimeHint")}
          data={lifetimesFor(audience).map((value) => ({ value, label: t(`files.tokens.lifetimes.${value}`) }))}
          {...form.getInputProps("lifetime")}
        />
      </Group>
      <TextInput
        label={t("files.tokens.audience")}
        description={t("files.tokens.audienceHint")}
        {...form.getInputProps("audience")}
      />
      <Switch label={t("files.tokens.reveal")} {...form.getInputProps("reveal", { type: "checkbox" })} />
      <Textarea
        label={t("files.tokens.cids")}
        description={t("files.tokens.cidsHint")}
        {...form.getInputProps("cids")}
        autosize
        minRows={1}
        maxRows={5}
      />
      {audience.trim() === "" && (
        <Switch label={t("files.tokens.oneUse")} {...form.getInputProps("once", { type: "checkbox" })} />
      )}
    </>
  );
}

function ShownOnce({ token, onClose }: { token: MintedToken; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert
      mt="sm"
      color="teal"
      title={t("files.tokens.once")}
      withCloseButton
      closeButtonLabel={t("common.close")}
      onClose={onClose}
    >
      <CodeValue value={token.token} shorten />
    </Alert>
  );
}

/** `fs/*` → `all`: the keys of texts cannot contain a slash or star. */
function shortOf(ability: FileAbility) {
  return ability === "fs/*" ? "all" : (ability.slice(3) as "list" | "read" | "write" | "delete");
}

async function signToken({ key, did }: Identity, request: TokenRequest): Promise<MintedToken> {
  const audience = request.audience.trim() || (await readServiceDid(window.location.origin));
  const { claims, expiration, facts } = claimsOf(did, request);
  const { formatToken, mint } = await loadSigning();
  const signed = await mint({ issuer: key, audience, claims, expiration, facts });
  const minted: MintedToken = {
    cid: signed.cid.toString(),
    abilities: [...request.abilities],
    path: request.path,
    audience,
    isBearer: request.audience.trim() === "",
    expiresAt: expiration,
    mintedAt: Math.floor(Date.now() / 1000),
    token: await formatToken(signed),
  };
  mintedTokens.add(minted);
  return minted;
}
