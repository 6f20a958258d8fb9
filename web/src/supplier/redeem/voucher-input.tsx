import { Button, Group, TextInput } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { readVoucherCode } from "../voucher-code.ts";

/** The camera and its decoder are loaded when somebody scans. */
const ScanDialog = lazy(() => import("../scan/scan-dialog.tsx").then(({ ScanDialog }) => ({ default: ScanDialog })));

/** Scan a voucher's code or type its id; `onVoucher` gets the id in its canonical spelling. */
export function VoucherInput({ onVoucher }: { onVoucher: (voucherId: string) => void }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<"malformed" | "checksum">();
  const [isScanning, setScanning] = useState(false);
  const [misread, setMisread] = useState<"malformed" | "checksum">();
  const take = async (given: string, report: (reason: "malformed" | "checksum") => void) => {
    const code = await readVoucherCode(given);
    if (!code.ok) return report(code.reason);
    setScanning(false);
    setMisread(undefined);
    setProblem(undefined);
    setText(code.voucherId);
    onVoucher(code.voucherId);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void take(text, setProblem);
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          flex="1 1 14rem"
          label={t("supplier.redeem.voucher")}
          description={t("supplier.redeem.voucherHint")}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem && t(`supplier.redeem.${problem}`)}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <Button type="submit" variant="default">
          {t("supplier.redeem.look")}
        </Button>
        <Button leftSection={<IconQrcode size={18} aria-hidden />} onClick={() => setScanning(true)}>
          {t("supplier.redeem.scan")}
        </Button>
      </Group>
      {isScanning && (
        <Suspense>
          <ScanDialog
            title={t("supplier.redeem.scan")}
            problem={misread && t(`supplier.redeem.${misread}`)}
            onCode={(code) => void take(code, setMisread)}
            onClose={() => setScanning(false)}
          />
        </Suspense>
      )}
    </form>
  );
}
