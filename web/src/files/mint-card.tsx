import {
  Alert,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Paper,
  Stack,
  Switch,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { readServiceDid } from "../identity/bearer.ts";
import type { Identity } from "../identity/identity-store.ts";
import { type FileAbility, fileAbilities, formatToken, mint } from "../identity/mint.ts";
import { CodeValue } from "../show/code-value.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { type MintedToken, mintedTokens } from "./minted-tokens.ts";
import {
  claimsOf,
  type Lifetime,
  lifetimesFor,
  type TokenProblem,
  type TokenRequest,
  tokenProblems,
} from "./token-request.ts";

const first: TokenRequest = {
  abilities: ["fs/read"],
  path: "/",
  lifetime: "2h",
  audience: "",
  reveal: false,
  cids: "",
  once: false,
};

/** Signs a token over a part of the namespace, in this tab: no server hears of it. */
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

/** The same as a form, over a path that was chosen already. */
export function MintForm({ identity, path = "/" }: { identity: Identity; path?: string }) {
  const { t } = useTranslation();
  const [request, setRequest] = useState<TokenRequest>({ ...first, path });
  const [wasTried, setTried] = useState(false);
  const [shown, setShown] = useState<MintedToken>();
  const problems = tokenProblems(request);
  const problem = (name: TokenProblem) =>
    wasTried && problems.includes(name) ? t(`files.tokens.problem.${name}`) : undefined;
  const sign = useMutation({ mutationFn: () => signToken(identity, request), onSuccess: setShown });
  const submit = () => {
    setTried(true);
    setShown(undefined);
    if (problems.length === 0) sign.mutate();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <RequestFields request={request} onChange={setRequest} problem={problem} />
        {sign.error !== null && <ErrorNotice error={sign.error} />}
        <Group>
          <Button type="submit" loading={sign.isPending}>
            {t("files.tokens.submit")}
          </Button>
        </Group>
        {shown !== undefined && <ShownOnce token={shown} onClose={() => setShown(undefined)} />}
      </Stack>
    </form>
  );
}

type FieldProps = {
  request: TokenRequest;
  onChange: (request: TokenRequest) => void;
  problem: (name: TokenProblem) => string | undefined;
};

function RequestFields({ request, onChange, problem }: FieldProps) {
  const { t } = useTranslation();
  const change = (part: Partial<TokenRequest>) => {
    const next = { ...request, ...part };
    const allowed = lifetimesFor(next.audience);
    onChange(allowed.includes(next.lifetime) ? next : { ...next, lifetime: allowed[0] ?? "30m" });
  };
  return (
    <>
      <Checkbox.Group
        label={t("files.tokens.abilities")}
        value={[...request.abilities]}
        onChange={(abilities) => change({ abilities: abilities as FileAbility[] })}
        error={problem("ability")}
      >
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
          value={request.path}
          onChange={(event) => change({ path: event.currentTarget.value })}
          error={problem("path")}
        />
        <NativeSelect
          label={t("files.tokens.lifetime")}
          description={t("files.tokens.lifetimeHint")}
          value={request.lifetime}
          onChange={(event) => change({ lifetime: event.currentTarget.value as Lifetime })}
          data={lifetimesFor(request.audience).map((value) => ({ value, label: t(`files.tokens.lifetimes.${value}`) }))}
          error={problem("lifetime")}
        />
      </Group>
      <TextInput
        label={t("files.tokens.audience")}
        description={t("files.tokens.audienceHint")}
        value={request.audience}
        onChange={(event) => change({ audience: event.currentTarget.value })}
        error={problem("audience")}
      />
      <Switch
        label={t("files.tokens.reveal")}
        checked={request.reveal}
        onChange={(event) => change({ reveal: event.currentTarget.checked })}
      />
      <Textarea
        label={t("files.tokens.cids")}
        description={t("files.tokens.cidsHint")}
        value={request.cids}
        onChange={(event) => change({ cids: event.currentTarget.value })}
        error={problem("cids")}
        autosize
        minRows={1}
        maxRows={5}
      />
      {request.audience.trim() === "" && (
        <Switch
          label={t("files.tokens.oneUse")}
          checked={request.once}
          onChange={(event) => change({ once: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function ShownOnce({ token, onClose }: { token: MintedToken; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Alert
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

/** `fs/*` → `all`: the texts' keys know neither slash nor star. */
function shortOf(ability: FileAbility) {
  return ability === "fs/*" ? "all" : (ability.slice(3) as "list" | "read" | "write" | "delete");
}

async function signToken({ key, did }: Identity, request: TokenRequest): Promise<MintedToken> {
  const audience = request.audience.trim() || (await readServiceDid(window.location.origin));
  const { claims, expiration, facts } = claimsOf(did, request);
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
