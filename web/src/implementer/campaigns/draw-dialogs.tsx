import { Alert, Button, FileInput, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { drawParty } from "../../../../wire/src/typed-data.ts";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { serverNow } from "../../api/server-time.ts";
import { settled } from "../../api/settled.ts";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Form } from "../../forms/form.tsx";
import { useSession } from "../../session/session.ts";
import { isRemembered } from "../../session/vault.ts";
import { signTypedData } from "../../session/wallet.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { saveAs } from "../../show/save-as.ts";
import { useWalletButtons } from "../../show/wallet-buttons.tsx";
import { commitmentOf, forgetSecret, keptSecret, secretOf } from "./draw-secret.ts";
import type { Campaign } from "./records.ts";

type DialogProps = { campaign: Campaign; onClose: () => void };

/** How long a signed commitment can be sent, in seconds. */
const signatureLasts = 86_400;

/** Sends a change of a campaign's draw, and reads the campaign again. */
function useDrawAct<Input>(send: (input: Input) => Promise<unknown>, onDone: () => void) {
  return useMutation({
    mutationFn: send,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onDone();
    },
  });
}

/** Joins a draw as its second party: the wallet signs a commitment to a secret that this browser makes. */
export function JoinDrawDialog({ campaign, onClose }: DialogProps) {
  const { t } = useTranslation();
  const { wallet } = useSession();
  const [secret] = useState(() => secretOf(campaign));
  const [isSaved, setSaved] = useState(false);
  const form = useForm({ initialValues: {} });
  const account = wallet?.address as `0x${string}` | undefined;
  const join = useDrawAct<object>(async () => {
    if (account !== undefined) await sendCommitment(campaign, secret, account);
  }, onClose);
  const save = () => {
    // The file has the form of docs/examples/second-party.mjs.
    saveAs(new Blob([secret], { type: "text/plain" }), `draw-${campaign.campaignId}.secret`);
    setSaved(true);
  };
  const named = campaign.sampling?.secondParty ?? undefined;
  return (
    <Dialog title={t("acts.draw.join")} size="lg" onClose={onClose}>
      <Form
        form={form}
        work={join}
        submit={t("acts.draw.sign")}
        canSubmit={account !== undefined && isSaved}
        onCancel={onClose}
      >
        <Text size="sm">{t("acts.draw.joinLead")}</Text>
        <Signer account={account} named={named} />
        <Alert color="yellow" title={t("acts.draw.secretTitle")}>
          <Stack gap="sm" align="flex-start">
            <Text size="sm">{t(isRemembered() ? "acts.draw.keptOnDevice" : "acts.draw.keptInTab")}</Text>
            <Button variant="default" onClick={save}>
              {t("acts.draw.save")}
            </Button>
          </Stack>
        </Alert>
      </Form>
    </Dialog>
  );
}

type SignerProps = { account: string | undefined; named: string | undefined };

/** The account that signs, or what to do to have one. */
function Signer({ account, named }: SignerProps) {
  const { t } = useTranslation();
  const { isNone, buttons } = useWalletButtons();
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t("acts.draw.who")}</Text>
      {named !== undefined && (
        <Group gap="xs">
          <Text size="sm">{t("acts.draw.named")}</Text>
          <CodeValue value={named} shorten />
        </Group>
      )}
      {account === undefined ? (
        <>
          {isNone && <Text size="sm">{t("acts.draw.noWallet")}</Text>}
          {buttons}
        </>
      ) : (
        <Group gap="xs">
          <Text size="sm">{t("acts.draw.signer")}</Text>
          <CodeValue value={account} shorten />
        </Group>
      )}
    </Stack>
  );
}

async function sendCommitment(
  { campaignId, index, drawParties }: Campaign,
  secret: `0x${string}`,
  account: `0x${string}`,
): Promise<unknown> {
  const path = { campaignId };
  const { chainId, contract } = await hearth.get("/v1/campaigns/{campaignId}/draw", { path });
  const commitment = await commitmentOf(secret, account);
  const deadline = Math.floor(serverNow() / 1_000) + signatureLasts;
  const contractOfCampaigns = { chainId, verifyingContract: contract as `0x${string}` };
  const party = { campaign: index, round: drawParties.round, commitment, deadline };
  const signature = await signTypedData(drawParty(contractOfCampaigns, party));
  const body = { account, commitment, deadline, signature };
  return await settled<unknown>(
    () => hearth.post("/v1/campaigns/{campaignId}/draw/party", { path, body }),
    () => undefined,
  );
}

/** Reveals the second party's secret, which is public from then on. */
export function RevealSecretDialog({ campaign, onClose }: DialogProps) {
  const { t } = useTranslation();
  const { campaignId } = campaign;
  const form = useForm({
    initialValues: { secret: keptSecret(campaign) ?? "" },
    validate: { secret: (text) => (/^0x[0-9a-f]{64}$/i.test(text.trim()) ? null : t("acts.draw.secretWrong")) },
  });
  const reveal = useDrawAct(async ({ secret }: { secret: string }) => {
    const options = { path: { campaignId }, body: { secret: secret.trim() as `0x${string}` } };
    await settled<unknown>(
      () => hearth.post("/v1/campaigns/{campaignId}/draw/secret", options),
      () => undefined,
    );
    forgetSecret(campaign);
  }, onClose);
  const readFile = async (file: File | null) => {
    if (file !== null) form.setFieldValue("secret", (await file.text()).trim());
  };
  return (
    <Dialog title={t("acts.draw.reveal")} size="lg" onClose={onClose}>
      <Form form={form} work={reveal} submit={t("acts.draw.reveal")} onCancel={onClose}>
        <Text size="sm">{t("acts.draw.revealLead")}</Text>
        <FileInput
          label={t("acts.draw.file")}
          placeholder={t("acts.signature.choose")}
          onChange={(file) => void readFile(file)}
        />
        <TextInput
          label={t("acts.draw.secret")}
          description={t(form.values.secret === "" ? "acts.draw.secretNone" : "acts.draw.secretHere")}
          spellCheck={false}
          autoComplete="off"
          required
          {...form.getInputProps("secret")}
        />
      </Form>
    </Dialog>
  );
}

/** Repeats a draw whose time is over: the party that did not reveal is named on chain. */
export function RepeatDrawDialog({ campaign, onClose }: DialogProps) {
  const { t } = useTranslation();
  const { campaignId } = campaign;
  const repeat = useDrawAct<void>(
    () =>
      settled<unknown>(
        () => hearth.post("/v1/campaigns/{campaignId}/draw/repetition", { path: { campaignId } }),
        () => undefined,
      ),
    onClose,
  );
  return (
    <Dialog title={t("acts.draw.repeat")} onClose={onClose}>
      <ConfirmForm work={repeat} submit={t("acts.draw.repeat")} onCancel={onClose}>
        <Text size="sm">{t("acts.draw.repeatLead")}</Text>
      </ConfirmForm>
    </Dialog>
  );
}
