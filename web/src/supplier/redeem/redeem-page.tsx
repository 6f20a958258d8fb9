import { Alert, Anchor, Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useNetwork } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { lazy, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { isUndecided } from "../../api/error.ts";
import { ParticipantGate } from "../../participants/participant-gate.tsx";
import { PageFrame } from "../../show/page-frame.tsx";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import { askedPurchase, forgetPurchase } from "../consent/asked-purchase.ts";
import { OfflineNotice } from "../offline-notice.tsx";
import { useQueue, useSettling } from "../queue/use-queue.ts";
import { CardVouchers } from "./card-vouchers.tsx";
import { loadOrders } from "./load-orders.ts";
import { useVoucher } from "./use-voucher.ts";
import { VoucherCard } from "./voucher-card.tsx";
import { VoucherInput } from "./voucher-input.tsx";

const RedeemForm = lazy(async () => ({ default: (await loadOrders()).RedeemForm }));
const PhoneRequestCard = lazy(async () => ({ default: (await loadOrders()).PhoneRequestCard }));
const EntryCard = lazy(async () => ({ default: (await loadOrders()).EntryCard }));

/** Scan or type a voucher, show its balance, redeem it. */
export function RedeemPage() {
  const { t } = useTranslation();
  return (
    <PageFrame title={t("nav.supplier.redeem")} lead={t("supplier.redeem.lead")}>
      <ParticipantGate kind="supplier">{(did) => <Redeem key={did} supplierDid={did} />}</ParticipantGate>
    </PageFrame>
  );
}

function Redeem({ supplierDid }: { supplierDid: string }) {
  const { t } = useTranslation();
  const { online } = useNetwork();
  const [voucherId, setVoucherId] = useState<string>();
  const [card, setCard] = useState("");
  const [keptId, setKeptId] = useState<string>();
  const [asked, setAsked] = useState(() => askedPurchase(supplierDid));
  const voucher = useVoucher(voucherId);
  useSettling(supplierDid);
  // Loaded after the page is shown, and before the network may be lost. An error is ignored: it is loaded again with the voucher.
  useEffect(() => void loadOrders().catch(() => undefined), []);
  const { entries } = useQueue(supplierDid);
  const kept = entries.find(({ id }) => id === keptId);
  const begin = (id?: string, cardCode = "") => {
    setVoucherId(id);
    setCard(cardCode);
    setKeptId(undefined);
  };
  /** The purchase by phone is over, or cancelled. */
  const endAsked = (id?: string, cardCode?: string) => {
    forgetPurchase(supplierDid);
    setAsked(undefined);
    begin(id, cardCode);
  };
  return (
    <Stack maw={900}>
      <OfflineNotice />
      <WaitingLine count={entries.filter(({ state }) => state === "waiting").length} />
      {kept === undefined && asked === undefined ? (
        <>
          <VoucherInput onVoucher={begin} onCard={(code) => begin(undefined, code)} />
          {card !== "" && voucherId === undefined && <CardVouchers code={card} onVoucher={(id) => begin(id, card)} />}
          {voucherId !== undefined && (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <VoucherCard voucherId={voucherId} isOnline={online} />
              {isRedeemable(voucher) && (
                <WhenLoaded key={voucherId}>
                  <RedeemForm
                    supplierDid={supplierDid}
                    voucherId={voucherId}
                    voucher={voucher.data}
                    card={card}
                    entries={entries}
                    onKept={setKeptId}
                    onAsked={setAsked}
                  />
                </WhenLoaded>
              )}
              {voucher.data !== undefined && voucher.data.status !== "active" && (
                <Alert color="orange" title={t("supplier.redeem.cannotRedeem")}>
                  {t(`supplier.redeem.whyNot.${voucher.data.status}`)}
                </Alert>
              )}
            </SimpleGrid>
          )}
        </>
      ) : (
        <>
          <WhenLoaded>
            {kept !== undefined && <EntryCard entry={kept} takesFocus onDone={() => setKeptId(undefined)} />}
            {asked !== undefined && (
              <PhoneRequestCard
                asked={asked}
                onNext={() => endAsked()}
                onOtherWay={() => endAsked(asked.voucherId, card)}
              />
            )}
          </WhenLoaded>
          {asked === undefined && (
            <Group>
              <Button variant="light" onClick={() => begin()}>
                {t("supplier.redeem.next")}
              </Button>
            </Group>
          )}
        </>
      )}
    </Stack>
  );
}

/** Whether an order can be made: the voucher is active, or its state is unknown because no answer came. */
function isRedeemable({ data, error, fetchStatus }: ReturnType<typeof useVoucher>): boolean {
  if (data !== undefined) return data.status === "active";
  if (error instanceof HearthError) return isUndecided(error);
  return fetchStatus === "paused";
}

function WaitingLine({ count }: { count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <Text size="sm">
      <Anchor component={Link} to="/supplier/waiting">
        {t("supplier.queue.count", { count })}
      </Anchor>
    </Text>
  );
}
