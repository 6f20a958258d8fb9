import { type Overrides, useContractOracle } from "@hearth/oracles-client-sdk";
import { useEffect, useRef } from "react";

type Props = { oracleDid: string; overrides: Overrides; claimIds: string[]; onClose: () => void };

/** Ask for a deposit when the oracle requires payment. */
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
      // `error` has the reason.
    }
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="payment-title">
      <h2 id="payment-title">The oracle asks for payment</h2>
      <p>
        A deposit, which your wallet signs, pays the messages below and those to come. Then send your message again.
      </p>
      <ul>
        {claimIds.map((id) => (
          <li key={id}>
            <code>{id}</code>
          </li>
        ))}
      </ul>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <div className="choices">
        <button type="button" className="primary" disabled={isContractingOracle} onClick={() => void pay()}>
          {isContractingOracle ? "Paying…" : "Pay a deposit"}
        </button>
        <button type="button" onClick={onClose}>
          Not now
        </button>
      </div>
    </dialog>
  );
}
