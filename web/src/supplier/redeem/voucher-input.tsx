import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconQrcode } from "@tabler/icons-react";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { readCardId } from "../../../../wire/src/card-code.ts";
import { Form } from "../../forms/form.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { readVoucherCode } from "../voucher-code.ts";

/** The camera and the decoder are loaded when the user scans. */
const ScanDialog = lazy(() => import("../scan/scan-dialog.tsx").then(({ ScanDialog }) => ({ default: ScanDialog })));

type Misread = "malformed" | "checksum";

type VoucherInputProps = { onVoucher: (voucherId: string) => void; onCard: (code: string) => void };

/**
 * Scan a voucher or a household's card, or type the voucher's id or the card's digits. `onVoucher` gets the canonical id, `onCard`
 * the card's code.
 */
export function VoucherInput({ onVoucher, onCard }: VoucherInputProps) {
  const { t } = useTranslation();
  const [isScanning, setScanning] = useState(false);
  const [misread, setMisread] = useState<Misread>();
  const form = useForm({ initialValues: { code: "" } });
  const take = async (given: string, report: (reason: Misread) => void) => {
    if (readCardId(given) !== undefined) {
      setScanning(false);
      setMisread(undefined);
      form.setFieldValue("code", given.trim());
      form.clearErrors();
      return onCard(given.trim());
    }
    const code = await readVoucherCode(given);
    if (!code.ok) return report(code.reason);
    setScanning(false);
    setMisread(undefined);
    form.setFieldValue("code", code.voucherId);
    form.clearErrors();
    onVoucher(code.voucherId);
  };
  const read = ({ code }: typeof form.values) =>
    void take(code, (reason) => form.setFieldError("code", t(`supplier.redeem.${reason}`)));
  return (
    <>
      <Form
        form={form}
        work={{ mutate: read, isPending: false, error: null }}
        submit={t("supplier.redeem.look")}
        variant="default"
        inline
        actions={
          <Button leftSection={<IconQrcode size={18} aria-hidden />} onClick={() => setScanning(true)}>
            {t("supplier.redeem.scan")}
          </Button>
        }
      >
        <TextInput
          flex="1 1 14rem"
          label={t("supplier.redeem.voucher")}
          description={t("supplier.redeem.voucherHint")}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          required
          {...form.getInputProps("code")}
        />
      </Form>
      {isScanning && (
        <WhenLoaded fallback={null}>
          <ScanDialog
            title={t("supplier.redeem.scan")}
            problem={misread && t(`supplier.redeem.${misread}`)}
            onCode={(code) => void take(code, setMisread)}
            onClose={() => setScanning(false)}
          />
        </WhenLoaded>
      )}
    </>
  );
}
