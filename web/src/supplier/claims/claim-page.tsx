import { Alert, Button, FileButton, Group, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { settled } from "../../api/settled.ts";
import { keep, kept } from "../../session/vault.ts";
import { Amount } from "../../show/amount.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Moment } from "../../show/moment.tsx";
import type { Claim, Redemption } from "../records.ts";
import { RedemptionFrame } from "../redemption-frame.tsx";
import { useOwnWallet } from "../use-own-wallet.ts";
import { ClaimStatus, usePaidText } from "./claims-page.tsx";
import { readCredential } from "./read-credential.ts";

/** File a delivery claim with its credential, and show the payment. */
export function ClaimPage() {
  const { t } = useTranslation();
  return (
    <RedemptionFrame title={t("supplier.claim.title")} lead={t("supplier.claim.lead")}>
      {(redemption) => <Claiming redemption={redemption} />}
    </RedemptionFrame>
  );
}

function Claiming({ redemption }: { redemption: Redemption }) {
  const { t } = useTranslation();
  const { redemptionId, amount, productId, claimDeadline, supplierDid } = redemption;
  const isOwnWallet = useOwnWallet(supplierDid);
  const name = `supplier.claim.${redemptionId}`;
  const [text, setText] = useState(() => kept<string>(name) ?? "");
  const credential = readCredential(text);
  const change = (next: string) => {
    setText(next);
    keep(name, next === "" ? undefined : next);
  };
  const file = useMutation({
    mutationFn: async (way: "api" | "wallet") => {
      if (way === "wallet" && credential !== undefined) {
        const { claimByWallet } = await import("../by-wallet.ts");
        const claimId = await claimByWallet(redemptionId, credential);
        return deliveryClaim(await hearth.get("/v1/claims/{id}", { path: { id: claimId } }));
      }
      if (credential === undefined) throw new TypeError("The text is not a credential.");
      const body = { redemptionId, verifiableCredential: credential };
      // There is one claim for a redemption: with the same key, a repeat is the same request.
      const idempotencyKey = `claim-${redemptionId}-${hashOf(text)}`;
      return settled(
        async () => deliveryClaim(await hearth.post("/v1/claims", { body, idempotencyKey })),
        () => claimOf(redemptionId),
      );
    },
    onSuccess: () => {
      keep(name, undefined);
      void queryClient.invalidateQueries({ queryKey: ["supplier"] });
    },
  });
  if (file.data !== undefined) return <Filed claim={file.data} />;
  return (
    <Stack maw={720}>
      <Group gap="xs">
        <CodeValue value={redemptionId} />
        <Text size="sm">
          <Amount value={amount} unit="carbon" /> · {productId}
        </Text>
      </Group>
      <Text size="sm">
        {t("supplier.claim.until")} <Moment at={claimDeadline} />
      </Text>
      <Textarea
        label={t("supplier.claim.credential")}
        description={t("supplier.claim.credentialHint")}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        error={text.trim() !== "" && credential === undefined && t("supplier.claim.wrong")}
        autosize
        minRows={4}
        maxRows={10}
        spellCheck={false}
        autoComplete="off"
        required
      />
      <Group>
        <FileButton onChange={async (chosen) => chosen && change(await chosen.text())} accept=".jwt,.json,.txt">
          {(props) => (
            <Button variant="default" {...props}>
              {t("supplier.claim.upload")}
            </Button>
          )}
        </FileButton>
        <Button disabled={credential === undefined} loading={file.isPending} onClick={() => file.mutate("api")}>
          {t("supplier.claim.submit")}
        </Button>
        {isOwnWallet && (
          <Button
            variant="default"
            disabled={credential === undefined}
            loading={file.isPending}
            onClick={() => file.mutate("wallet")}
          >
            {t("supplier.wallet.claim")}
          </Button>
        )}
      </Group>
      {file.isError && <ErrorNotice error={file.error} />}
    </Stack>
  );
}

function Filed({ claim }: { claim: Claim }) {
  const { t } = useTranslation();
  const paid = usePaidText();
  return (
    <Stack maw={720} gap="sm">
      <Alert color={claim.settlement === null ? "yellow" : "teal"} role="status" title={t("supplier.claim.filed")}>
        <Text size="xl" fw={700}>
          {paid(claim.settlement)}
        </Text>
      </Alert>
      <Group gap="xs">
        <CodeValue value={claim.id} />
        <ClaimStatus status={claim.status} />
      </Group>
      {claim.settlement !== null && <CodeValue value={claim.settlement.transactionHash} shorten />}
      <Group>
        <Button component={Link} to="/supplier/redeem">
          {t("supplier.redeem.next")}
        </Button>
        <Button component={Link} to="/supplier/claims" variant="default">
          {t("nav.supplier.claims")}
        </Button>
      </Group>
    </Stack>
  );
}

async function claimOf(redemptionId: string): Promise<Claim> {
  const { items } = await hearth.get("/v1/claims", { query: { redemptionId } });
  const [claim] = items;
  // The contract refused it in its block; filing again returns the reason.
  if (claim === undefined) throw new HearthError({ status: 409, code: "CONFLICT", message: "" });
  return claim;
}

function deliveryClaim(claim: Claim | Schemas["KPTClaim"]): Claim {
  if (claim.type === "DeliveryClaim") return claim;
  throw new TypeError(`${claim.id} is not a delivery claim.`);
}

/** Short hash that identifies a credential's request. It is not a security measure. */
function hashOf(text: string): string {
  let hash = 0;
  for (const symbol of text) hash = (Math.imul(hash, 31) + (symbol.codePointAt(0) ?? 0)) >>> 0;
  return hash.toString(36);
}
