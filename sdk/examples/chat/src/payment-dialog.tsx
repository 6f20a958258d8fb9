import { type Overrides, useContractOracle } from "@hearth/oracles-client-sdk";
import { useEffect, useRef } from "react";

type Props = { oracleDid: string; overrides: Overrides; claimIds: string[]; onClose: () => void };

/** Shown when the oracle wants to be paid before it goes on. */
export function PaymentDialog({ oracleDid, overrides, claimIds, onClose }: Props) {
  const { contractOracle, isContractingOracle, error } = useContractOracle({ oracleDid, overrides });
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = claimIds.length > 0;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  const pay = async () => {
    try {
      await contractOracle();
      onClose();
    } catch {
      // `error` says it.
    }
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="payment-title">
      <h2 id="payment-title">The oracle wants to be paid</h2>
      <p>These messages are not paid yet: {claimIds.join(", ")}. A deposit pays them, and those to come.</p>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <button type="button" className="primary" disabled={isContractingOracle} onClick={() => void pay()}>
        Pay a deposit
      </button>
      <button type="button" onClick={onClose}>
        Not now
      </button>
    </dialog>
  );
}
