import { type FormEvent, type KeyboardEvent, useState } from "react";

type Props = { isSending: boolean; onSend: (message: string) => void; onStop: () => void };

export function Composer({ isSending, onSend, onStop }: Props) {
  const [text, setText] = useState("");
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onSend(text);
    setText("");
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
  };
  return (
    <form onSubmit={send}>
      <textarea
        {...{ "aria-label": "Message", placeholder: "Ask the oracle", rows: 1, value: text, onKeyDown: sendOnEnter }}
        onChange={(event) => setText(event.target.value)}
      />
      {isSending ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" className="primary">
          Send
        </button>
      )}
    </form>
  );
}
