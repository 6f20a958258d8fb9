import { Alert, Button, Group, JsonInput, PasswordInput, Radio, Stack, Text, TextInput } from "@mantine/core";
import { IconQrcode, IconSignature } from "@tabler/icons-react";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { readHouseholdCode } from "../../../../wire/src/household-code.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { type HouseholdAuthorization, readHouseholdAuthorization } from "../household-authorization.ts";
import { PhoneCode } from "./phone-code.tsx";
import { RefusedLevels } from "./refused-levels.tsx";
import type { ConsentWays } from "./use-consent-ways.ts";
import type { ConsentWay } from "./ways.ts";

const ScanDialog = lazy(() => import("../scan/scan-dialog.tsx").then(({ ScanDialog }) => ({ default: ScanDialog })));

/** What the household shows and types: the code of its card, and its PIN. */
export type CardAndPin = { card: string; pin: string };

type ConsentInputProps = {
  cardAndPin: CardAndPin;
  onCardAndPin: (given: CardAndPin) => void;
  cardProblem: ReactNode;
  pinProblem: ReactNode;
  code: string;
  onCode: (text: string) => void;
  codeProblem: ReactNode;
  voucherId: string;
  supplierDid: string;
  /** The ways that are accepted for this voucher and amount. */
  accepted: ConsentWays;
  /** Undefined: none of the accepted ways is chosen. */
  way: ConsentWay | undefined;
  onWay: (way: ConsentWay) => void;
  given: string;
  onGiven: (text: string) => void;
  signed: HouseholdAuthorization | undefined;
  onSign: () => Promise<void>;
};

/** Choose how the household agrees to the redemption, of the ways that are accepted. */
export function ConsentInput({
  cardAndPin,
  onCardAndPin,
  cardProblem,
  pinProblem,
  code,
  onCode,
  codeProblem,
  voucherId,
  supplierDid,
  accepted,
  way,
  onWay,
  given,
  onGiven,
  signed,
  onSign,
}: ConsentInputProps) {
  const { t } = useTranslation();
  const { ways, refused, isKnown, isLoading, error } = accepted;
  if (isLoading) return <Loading />;
  if (error !== null) return <ErrorNotice error={error} />;
  return (
    <Stack gap="xs">
      {!isKnown && <Text size="sm">{t("supplier.consent.unknown")}</Text>}
      {ways.length === 0 && <Alert color="orange">{t("supplier.consent.noWay")}</Alert>}
      <Radio.Group
        label={t("supplier.consent.label")}
        value={way ?? ""}
        onChange={(value) => onWay(value as ConsentWay)}
      >
        <Stack gap={6} mt={6}>
          {ways.map((value) => (
            <Radio key={value} value={value} label={t(`supplier.consent.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <RefusedLevels refused={refused} />
      {way === "phone" && <Text size="sm">{t("supplier.phone.hint")}</Text>}
      {way === "pin" && (
        <Stack gap="xs">
          <TextInput
            label={t("supplier.consent.card")}
            description={t("supplier.consent.cardHint")}
            inputMode="numeric"
            autoComplete="off"
            required
            value={cardAndPin.card}
            error={cardProblem}
            onChange={({ currentTarget }) => onCardAndPin({ ...cardAndPin, card: currentTarget.value })}
          />
          <PasswordInput
            label={t("supplier.consent.pinLabel")}
            description={t("supplier.consent.pinHint")}
            inputMode="numeric"
            autoComplete="off"
            maxLength={6}
            required
            value={cardAndPin.pin}
            error={pinProblem}
            onChange={({ currentTarget }) => onCardAndPin({ ...cardAndPin, pin: currentTarget.value })}
          />
        </Stack>
      )}
      {way === "code" && (
        <>
          <TakeCode code={code} onCode={onCode} codeProblem={codeProblem} />
          <PhoneCode voucherId={voucherId} supplierDid={supplierDid} />
        </>
      )}
      {way === "wallet" && <SignHere signed={signed} onSign={onSign} />}
      {way === "given" && <TakeGiven given={given} onGiven={onGiven} />}
    </Stack>
  );
}

function TakeCode({ code, onCode, codeProblem }: Pick<ConsentInputProps, "code" | "onCode" | "codeProblem">) {
  const { t } = useTranslation();
  const [isScanning, setScanning] = useState(false);
  const [isMisread, setMisread] = useState(false);
  return (
    <Stack gap="xs">
      <TextInput
        label={t("supplier.consent.codeLabel")}
        description={t("supplier.consent.codeHint")}
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        required
        value={code}
        error={codeProblem}
        onChange={({ currentTarget }) => onCode(currentTarget.value)}
      />
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconQrcode size={16} aria-hidden />}
          onClick={() => setScanning(true)}
        >
          {t("supplier.consent.codeScan")}
        </Button>
      </Group>
      {isScanning && (
        <WhenLoaded fallback={null}>
          <ScanDialog
            title={t("supplier.consent.codeScan")}
            problem={isMisread ? t("supplier.consent.codeWrong") : undefined}
            onClose={() => setScanning(false)}
            onCode={(text) => {
              const read = readHouseholdCode(text);
              setMisread(read === undefined);
              if (read === undefined) return;
              onCode(read);
              setScanning(false);
            }}
          />
        </WhenLoaded>
      )}
    </Stack>
  );
}

function SignHere({ signed, onSign }: Pick<ConsentInputProps, "signed" | "onSign">) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<unknown>();
  const sign = async () => {
    setProblem(undefined);
    try {
      await onSign();
    } catch (error) {
      const isMissing = error instanceof Error && error.message === "NO_WALLET";
      setProblem(isMissing ? new Error(t("supplier.consent.noWallet")) : error);
    }
  };
  return (
    <Stack gap="xs">
      {signed === undefined ? (
        <Button variant="default" leftSection={<IconSignature size={18} aria-hidden />} onClick={sign}>
          {t("supplier.consent.sign")}
        </Button>
      ) : (
        <Alert color="teal">{t("supplier.consent.signed")}</Alert>
      )}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Stack>
  );
}

function TakeGiven({ given, onGiven }: Pick<ConsentInputProps, "given" | "onGiven">) {
  const { t } = useTranslation();
  const [isScanning, setScanning] = useState(false);
  const isWrong = given.trim() !== "" && readHouseholdAuthorization(given) === undefined;
  return (
    <Stack gap="xs">
      <JsonInput
        label={t("supplier.consent.text")}
        description={t("supplier.consent.textHint")}
        value={given}
        onChange={onGiven}
        error={isWrong && t("supplier.consent.wrong")}
        autosize
        minRows={2}
      />
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconQrcode size={16} aria-hidden />}
          onClick={() => setScanning(true)}
        >
          {t("supplier.consent.scan")}
        </Button>
      </Group>
      {isScanning && (
        <WhenLoaded fallback={null}>
          <ScanDialog
            title={t("supplier.consent.scan")}
            onClose={() => setScanning(false)}
            onCode={(code) => {
              if (readHouseholdAuthorization(code) === undefined) return;
              onGiven(code);
              setScanning(false);
            }}
          />
        </WhenLoaded>
      )}
    </Stack>
  );
}
